import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { givenBy } from '../../src/chat/attach/given';
import { until } from '../until';

const noDiff = () => assert.fail('a diff is asked for');

describe('what is attached from a terminal', () => {
  const text = async (args: readonly unknown[]): Promise<readonly string[]> => {
    const files = (await givenBy(args, noDiff))?.files ?? [];
    return Promise.all(files.map(async file => `${file.name}\n${Buffer.from(await file.read()).toString()}`));
  };

  it('is what is selected; the clipboard stays as it was', async () => {
    await vscode.env.clipboard.writeText('mine');
    const terminal = vscode.window.createTerminal({ name: 'of a test', shellPath: '/bin/sh' });
    terminal.show();
    try {
      await assert.rejects(text([terminal]), /^Error: Select some text in the terminal first\.$/);
      terminal.sendText('echo attach-$((40 + 2))');
      await until(async () => {
        await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
        return (await text([terminal]).catch(() => [''])).some(all =>
          /^terminal\.txt\n[^]*attach-42/.test(all),
        );
      });
      assert.equal(await vscode.env.clipboard.readText(), 'mine');
    } finally {
      terminal.dispose();
    }
  });
});
