import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { Workbench } from './workbench';

describe('a first look', () => {
  let folder: string;
  let workbench: Workbench;

  before(async function () {
    this.timeout(120_000);
    folder = temporaryFolder('folder');
    fs.writeFileSync(path.join(folder, 'hello.txt'), 'hello\n');
    workbench = await Workbench.open({ folder });
  });
  after(async () => {
    await workbench.close();
    removeFolder(folder);
  });

  it('has an icon in the activity bar that opens the views', async () => {
    await workbench.activityIcon('Agent Console').waitFor();
    await workbench.openContainer('Agent Console');
    await workbench.view('Sessions').waitFor();
    await workbench.view('Computers').waitFor();
  });

  it('offers to sign in and to try it with sample data', async () => {
    const welcome = workbench.welcome('Sessions');
    await welcome.getByRole('button', { name: 'Sign in' }).waitFor();
    await welcome.getByRole('button', { name: 'Try with sample data' }).waitFor();
    assert.match(await welcome.innerText(), /API key/);
  });

  it('has its commands in the palette', async () => {
    await workbench.page.keyboard.press('F1');
    await workbench.quickInput.locator('input.input').fill('>Agent Console: Sign in');
    await workbench.quickInput.locator('.monaco-list-row').filter({ hasText: 'Sign in' }).first().waitFor();
    await workbench.page.keyboard.press('Escape');
  });
});
