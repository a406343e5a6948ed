import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { startSampleService, type RecordedRequest, type SampleService } from '../fakes/sampleService';
import { until } from '../until';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { commandLink } from './corpus';
import { showsJust } from './shown';
import { signedInTo, Workbench } from './workbench';

/** Whatever happens to the window, what was written and what was read stays (trust.md 10, 11, 23). */
describe('nothing is lost', () => {
  const title = `First question ${commandLink}`;
  let service: SampleService;
  let folder: string;
  let workbench: Workbench;

  const sends = (): number =>
    service.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/messages')).length;
  const composer = () => workbench.webview().getByRole('textbox');
  const answers = () => workbench.webview().getByRole('article', { name: /^Agent/ });

  /** The next request of this kind, when it has arrived. */
  const received = (method: string): Promise<RecordedRequest> =>
    new Promise(resolve => {
      const subscription = service.onDidReceive(request => {
        if (request.method !== method) return;
        subscription.dispose();
        resolve(request);
      });
    });
  const close = async (): Promise<void> => {
    const tab = workbench.tab('First question');
    await tab.click();
    await tab.getByRole('button', { name: /^Close/ }).click();
    await tab.waitFor({ state: 'detached' });
  };

  before(async () => {
    service = await startSampleService({ pace: 0 });
    folder = temporaryFolder('keeping');
    for (const name of ['one.txt', 'two.txt', 'other.txt'])
      fs.writeFileSync(path.join(folder, name), `${name}\n`);
    workbench = await Workbench.open({
      folder,
      env: signedInTo(service),
      // High enough for the whole transcript, so that each message is in the page.
      contextOptions: { viewport: { width: 1280, height: 1600 } },
    });
    await workbench.explorerRow('other.txt').dblclick();
    await workbench.openContainer('Agent Console');
    await workbench.row('Computers', 'active').waitFor();
    await workbench.viewAction('Sessions', 'New session');
    await workbench.pick('active');
    for (const text of [title, 'Second question']) {
      await composer().fill(text);
      await workbench.page.keyboard.press('Enter');
      await workbench.webview().getByRole('article').getByText(text.slice(0, 14)).waitFor();
    }
    await answers().first().waitFor();
    // The last that comes by itself: the others were said of fewer messages while the first answer was read.
    await workbench.webview().getByRole('article').getByText('has answered (7 messages)').waitFor();
  });
  after(async () => {
    await workbench.close();
    await service.close();
    removeFolder(folder);
  });

  it('when the chat is hidden, closed, moved and shown again', async () => {
    for (const name of ['one.txt', 'two.txt']) {
      await workbench.explorerMenu([name], 'Send to agent session');
      await workbench.webview().getByRole('list', { name: 'Attachments' }).getByText(name).waitFor();
    }
    await workbench.openContainer('Agent Console');
    const before = (await workbench.webview().getByRole('article').allInnerTexts()).map(text => text.trim());
    assert.ok(before.length >= 4, before.join('\n---\n'));
    const tab = workbench.tab('First question');
    const row = workbench.row('Sessions', 'First question');
    const secondGroup = workbench.page.locator('.editor-group-container').nth(1);
    const open = async (): Promise<void> => {
      await row.click();
      await workbench.page.locator('.tab.active', { hasText: 'First question' }).waitFor();
    };
    const acts: readonly (() => Promise<void>)[] = [
      async () => {
        await workbench.tab('other.txt').click();
        await tab.click();
      },
      async () => {
        await close();
        await open();
      },
      async () => {
        await workbench.tab('other.txt').click();
        await open();
      },
      async () => {
        await workbench.runCommand('View: Move Editor into Next Group');
        await secondGroup.waitFor();
      },
      async () => {
        await workbench.runCommand('View: Move Editor into Previous Group');
        await secondGroup.waitFor({ state: 'detached' });
      },
    ];
    for (const [round, act] of [...acts, ...acts].entries()) {
      const draft = `A thought, take ${String(round)}`;
      await composer().fill(draft);
      await act();
      await showsJust(workbench, { draft, chips: ['one.txt', 'two.txt'], articles: before });
    }
    assert.equal(sends(), 2);
  });

  it('when the window is reloaded while a message is on its way', async () => {
    const fault = service.fail({ kind: 'delay', ms: 600_000, match: { method: 'POST', path: /messages$/ } });
    const left = received('POST');
    await composer().fill('Do this exactly once');
    await workbench.page.keyboard.press('Enter');
    await left;
    await workbench.page.reload();
    fault.dispose();
    // A browser may be reloaded before VS Code has stored which editors are open: the row leads there in any case.
    await workbench.activityIcon('Agent Console').waitFor();
    await workbench.openContainer('Agent Console');
    await workbench.row('Sessions', 'First question').click();
    const row = workbench.webview().getByRole('article').filter({ hasText: 'Do this exactly once' });
    await row.getByText('not known whether').waitFor();
    await row.getByText('one.txt').waitFor();
    assert.equal(sends(), 3);
    const again = received('POST');
    await row.getByRole('button', { name: 'Send again' }).click();
    await again;
    // The old one stays until the new one is accepted.
    await row.locator('.send-state').first().waitFor({ state: 'detached' });
    assert.equal(sends(), 4);
    await until(async () => (await row.count()) === 1);
  });

  it('when the page of the chat does not load: it is tried again', async () => {
    await workbench.page.addInitScript(`{
      const { write } = Document.prototype;
      Document.prototype.write = function (text) {
        if (top.pagesLoad) write.call(this, text);
        else write.call(this, text.replace(/<script[^>]*pages\\/chat\\.js[^>]*><\\/script>/, ''));
      };
    }`);
    await workbench
      .tab('First question')
      .getByRole('button', { name: /^Close/ })
      .click();
    await workbench.row('Sessions', 'First question').click();
    const notice = await workbench.notified(/did not load within 10 seconds/);
    assert.equal(await notice.locator('.notification-list-item-message a').count(), 0);
    await workbench.page.evaluate('top.pagesLoad = true');
    await notice.getByRole('button', { name: 'Try again' }).click();
    await composer().waitFor();
  });
});
