import assert from 'node:assert/strict';
import { startSampleService, type RecordedRequest, type SampleService } from '../fakes/sampleService';
import { makeSampleWorkspace } from '../vscode/sampleWorkspace';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { lastArticles, showsJust } from './shown';
import { stored } from './windowState';
import { signedInTo, Workbench } from './workbench';

/** How far the row at the upper edge goes beyond it, px; nothing while the list moves. */
const BEYOND = `(() => {
  const log = document.querySelector('.log');
  const edge = log.getBoundingClientRect().top;
  const row = [...log.querySelectorAll('.row')].find(each => each.getBoundingClientRect().bottom > edge);
  return log.querySelector('.scrolling') === null && row ? Math.round(edge - row.getBoundingClientRect().top) : undefined;
})()`;

interface Browser {
  readonly document: { querySelector(selector: string): { readonly value: string } | null };
}

/** The chat as a view: in the secondary side bar, and in the other one. */
describe('the chat as a view', () => {
  let service: SampleService;
  let folder: string;
  let workbench: Workbench;

  const chat = () => workbench.webview();
  const composer = () => chat().getByRole('textbox', { name: 'Message to the agent' });
  const heading = (name: string | RegExp) => chat().getByRole('heading', { level: 1, name });
  const choose = async (title: string): Promise<void> => {
    await workbench.openContainer('Agent Console');
    await workbench.row('Sessions', title).click();
  };
  const chip = (name: string) => chat().getByRole('button', { name: `Open ${name}` });

  const add = async (sessionId: string): Promise<void> => {
    await workbench.runCommand('Agent Console: Open a session by its id');
    await workbench.quickInput.getByText('The id is shown in the web application').waitFor();
    await workbench.answer(sessionId);
  };
  /** Waits until the composer holds exactly this. */
  const holds = (value: string): Promise<unknown> =>
    workbench.pageShows(
      wanted => (globalThis as unknown as Browser).document.querySelector('.box textarea')?.value === wanted,
      value,
    );
  const reload = async (): Promise<void> => {
    await workbench.page.reload();
    await workbench.activityIcon('Agent Console').waitFor();
    await workbench.openContainer('Agent Console');
    await workbench.rows('Sessions').nth(2).waitFor();
  };
  /** The view in the secondary side bar. */
  const beside = () =>
    workbench.page.locator('.part.auxiliarybar .title', { hasText: /Agent (Chat|Console)/ }).first();
  const move = async (to: string): Promise<void> => {
    await workbench.runCommand('View: Move View');
    await workbench.pick(/^Agent Chat/);
    await workbench.pick(to);
  };
  /** The next message, as the service saw it. */
  const received = (): Promise<RecordedRequest> =>
    new Promise(resolve => {
      const subscription = service.onDidReceive(request => {
        if (request.method !== 'POST' || !request.path.endsWith('/messages')) return;
        subscription.dispose();
        resolve(request);
      });
    });

  before(async () => {
    service = await startSampleService({ pace: 0, extras: true });
    folder = temporaryFolder('view');
    makeSampleWorkspace(folder);
    workbench = await Workbench.open({
      folder,
      env: signedInTo(service),
      settings: { 'agentConsole.chat.location': 'view' },
      contextOptions: { viewport: { width: 1280, height: 1200 } },
    });
  });
  after(async () => {
    await workbench.close();
    await service.close();
    removeFolder(folder);
  });

  it('is where a session is opened, also while another view is shown', async () => {
    await workbench.openContainer('Agent Console');
    await workbench.row('Computers', 'active').waitFor();
    await workbench.openContainer('Explorer');
    await add(service.sessionIds[0] ?? '');
    await heading(/checkout/).waitFor();
    await beside().waitFor();
    assert.equal(await workbench.tab(/./).count(), 0, 'no editor is opened');
  });

  it('follows the selected session and keeps each one its draft', async () => {
    await composer().fill('A thought about the first');
    await add(service.sessionIds[2] ?? '');
    await heading('Odd corners').waitFor();
    assert.equal(await workbench.tab(/./).count(), 0, 'no editor is opened');
    await choose('Please fix');
    await heading(/checkout/).waitFor();
    await holds('A thought about the first');
  });

  it('does with its session what the row of the session does', async () => {
    const pinned = workbench.row('Sessions', /^Pinned/);
    await workbench.menu(chat().getByRole('button', { name: 'More actions' }), 'Pin or unpin session');
    await pinned.waitFor();
    await chat().locator('.header[data-vscode-context*="\\"pinned "]').waitFor();
    await workbench.contextMenu(heading(/checkout/), 'Pin or unpin session');
    await pinned.waitFor({ state: 'detached' });
  });

  it('takes files of the Explorer for the session it shows', async () => {
    await workbench.explorerMenu(['README.md'], 'Send to agent session');
    await heading(/checkout/).waitFor();
    await chip('README.md').waitFor();
    await holds('A thought about the first');
  });

  it('sends what it holds, and shows another session', async () => {
    await composer().fill('A thought about the first, and more');
    const arrived = received();
    await composer().press('Enter');
    const { body } = await arrived;
    const { text, files } = body as { text: string; files: readonly { readonly name: string }[] };
    assert.deepEqual(
      [text, files.map(({ name }) => name)],
      ['A thought about the first, and more', ['README.md']],
    );
    await chat().getByRole('article').getByText('A thought about the first, and more').waitFor();
    await choose('Odd corners');
    await heading('Odd corners').waitFor();
    await composer().fill('Written beside');
  });

  it('is there after a reload, too, with draft, files and place', async () => {
    await choose('Please fix');
    await heading(/checkout/).waitFor();
    await workbench.explorerMenu(['README.md'], 'Send to agent session');
    await chip('README.md').waitFor();
    await composer().fill('To go on with');
    await chat().getByRole('log').press('Home');
    await workbench.pageShows(`document.querySelector('.log').scrollTop === 0`);
    await chat().getByRole('log').hover();
    await workbench.page.mouse.wheel(0, 137);
    await workbench.pageShows(`document.querySelector('.log').scrollTop === 137 && ${BEYOND} > 0`);
    const beyond = await workbench.inPage(frame => frame.evaluate<number>(BEYOND));
    const isThere = async (): Promise<void> => {
      await holds('To go on with');
      await chip('README.md').waitFor();
      await chat().locator('.to-latest').waitFor();
      await workbench.pageShows(
        `document.querySelector('.log').scrollTop === 137 && ${BEYOND} === ${String(beyond)}`,
        undefined,
      );
    };
    await isThere();
    await stored(workbench, new RegExp(`offset\\\\*":${String(beyond)}\\b`));
    await workbench.openContainer('Agent Console');
    await choose('Odd corners');
    await heading('Odd corners').waitFor();
    await holds('Written beside');
    await choose('Please fix');
    await heading(/checkout/).waitFor();
    await isThere();
    await reload();
    // VS Code in a browser may not have stored yet which session the view showed last.
    await choose('Please fix');
    await beside().waitFor();
    await heading(/checkout/).waitFor();
    await isThere();
    await choose('Odd corners');
    await heading('Odd corners').waitFor();
    await holds('Written beside');
  });

  it('loses nothing when it is hidden, shown, moved and given another session', async () => {
    await workbench.explorerMenu(['README.md'], 'Send to agent session');
    await chip('README.md').waitFor();
    await workbench.openContainer('Agent Console');
    const articles = await lastArticles(workbench, 2);
    // A key would go to a page that VS Code may be building anew.
    const toggle = workbench.page.locator(
      '.part.titlebar .action-label[aria-label^="Toggle Secondary Side"]',
    );
    const there = async (): Promise<void> => {
      await move('Agent Console');
      await workbench.view('Agent Chat').locator('.pane-header').waitFor();
      await move('New Secondary Side Bar Entry');
      await beside().waitFor();
      // What the view leaves behind may be another container of the side bar.
      await workbench.openContainer('Agent Console');
    };
    const hide = async (): Promise<void> => {
      await toggle.click();
      await beside().waitFor({ state: 'hidden' });
      await toggle.click();
      await beside().waitFor();
    };
    const leave = async (): Promise<void> => {
      await choose('Migrate the build');
      await heading(/^Migrate/).waitFor();
      await choose('Odd corners');
    };
    for (const [round, act] of [hide, leave, there, hide, leave].entries()) {
      const draft = `A thought, take ${String(round)}`;
      await composer().fill(draft);
      await act();
      await showsJust(workbench, { draft, chips: ['README.md'], articles }, 2);
    }
    assert.equal(await workbench.tab(/./).count(), 1, 'nothing but the file that was clicked');
  });

  it('can be written to all the same when its page does not load', async () => {
    await workbench.page.addInitScript(`{
      const { write } = Document.prototype;
      Document.prototype.write = function (text) {
        write.call(this, text.replace(/<script[^>]*pages\\/chat\\.js[^>]*><\\/script>/, ''));
      };
    }`);
    await workbench.page.keyboard.press('Control+Alt+b');
    await beside().waitFor({ state: 'hidden' });
    await workbench.page.keyboard.press('Control+Alt+b');
    const notice = await workbench.notified(/"Odd corners.*did not load within 10 seconds/);
    await notice.getByRole('button', { name: 'Write a message' }).click();
    const sent = received();
    await workbench.answer('Written without a page');
    assert.equal(((await sent).body as { readonly text?: unknown }).text, 'Written without a page');
  });
});
