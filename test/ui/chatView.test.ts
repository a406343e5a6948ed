import assert from 'node:assert/strict';
import { again } from '../until';
import { openChat, type ChatStage } from './chatStage';
import { click } from './waiting';
import type { Workbench } from './workbench';

/** How far the row at the upper edge goes beyond it, px. */
const BEYOND = `(() => {
  const log = document.querySelector('.log');
  const edge = log.getBoundingClientRect().top;
  const row = [...log.querySelectorAll('.row')].find(each => each.getBoundingClientRect().bottom > edge);
  return row ? Math.round(edge - row.getBoundingClientRect().top) : undefined;
})()`;

/** The chat as a view: in the secondary side bar, and in the other one. */
describe('the chat as a view', () => {
  let stage: ChatStage;
  let workbench: Workbench;

  const show = async (title: string): Promise<void> => {
    await workbench.openContainer('Agent Console');
    const row = workbench.row('Sessions', title);
    await again(
      async limit => {
        // When a row above it moves meanwhile, its group is clicked instead, which folds it.
        const folded = workbench.rows('Sessions').and(workbench.page.locator('[aria-expanded="false"]'));
        if (!(await row.isVisible()) && (await folded.count()) > 0) await click(folded.first(), limit);
        await click(row, limit);
      },
      limit => stage.heading(new RegExp(`^${title}`)).waitFor(limit),
    );
  };
  /** The view in the secondary side bar. */
  const beside = () =>
    workbench.page.locator('.part.auxiliarybar .title', { hasText: /Agent (Chat|Console)/ }).first();
  const move = async (to: string): Promise<void> => {
    await workbench.runCommand('View: Move View');
    await workbench.pick(/^Agent Chat/, to);
  };

  before(async () => {
    const settings = { 'agentConsole.chat.location': 'view' };
    stage = await openChat({ settings, service: { extras: true } });
    ({ workbench } = stage);
  });
  after(() => stage.close());

  it('is where sessions are opened, also while another view is shown, and keeps each one its draft', async () => {
    await workbench.openContainer('Explorer');
    await stage.add(0);
    await stage.heading(/checkout/).waitFor();
    await beside().waitFor();
    await stage.composer.fill('A thought about the first');
    await stage.add(2);
    await stage.heading('Odd corners').waitFor();
    assert.equal(await workbench.tab(/./).count(), 0, 'no editor is opened');
    await show('Please fix');
    await stage.holds('A thought about the first');
  });

  it('takes one and three files of the Explorer, dropped with Shift, and sends them', async () => {
    await stage.sendsDropped();
    await workbench.openContainer('Agent Console');
    await stage.rests(workbench.row('Sessions', 'Please fix'));
  });

  it('keeps each session its place, also where another one is opened right after scrolling', async () => {
    await stage.chat.getByRole('log').press('Home');
    await workbench.pageShows(`document.querySelector('.log').scrollTop === 0`);
    await workbench.pageShows(`(() => {
      const log = document.querySelector('.log');
      log.dispatchEvent(new WheelEvent('wheel'));
      log.scrollTop = 137;
      return log.scrollTop === 137 && ${BEYOND} > 0;
    })()`);
    const beyond = String(await workbench.inPage(frame => frame.evaluate<number>(BEYOND)));
    await show('Odd corners');
    await show('Please fix');
    await workbench.pageShows(`document.querySelector('.log').scrollTop === 137 && ${BEYOND} === ${beyond}`);
  });

  it('is there after a reload, too, with drafts and files', async () => {
    await show('Odd corners');
    await stage.composer.fill('Written beside');
    await show('Please fix');
    await workbench.explorerMenu(['a.txt'], 'Send to agent session');
    await stage.attached('a.txt');
    await stage.composer.fill('To go on with');
    await workbench.page.reload();
    // VS Code in a browser may not have stored yet which session the view showed last.
    await show('Please fix');
    await beside().waitFor();
    await stage.holds('To go on with');
    await stage.attached('a.txt');
    await show('Odd corners');
    await stage.holds('Written beside');
  });

  it('loses nothing when it is hidden, shown, moved and given another session', async () => {
    await workbench.explorerMenu(['b.txt'], 'Send to agent session');
    await stage.attached('b.txt');
    await workbench.openContainer('Agent Console');
    // A key would go to a page that VS Code may be building anew.
    const toggle = workbench.page.locator('.titlebar .action-label[aria-label^="Toggle Secondary"]');
    const there = async (): Promise<void> => {
      await move('Agent Console');
      await workbench.view('Agent Chat').locator('.pane-header').waitFor();
      await move('New Secondary Side Bar Entry');
      await beside().waitFor();
      // What the view leaves behind may be another container of the side bar.
      await workbench.openContainer('Agent Console');
    };
    const hide = async (): Promise<void> => {
      for (const state of ['hidden', 'visible'] as const)
        await again(
          async limit => {
            if ((await beside().isVisible()) === (state === 'hidden')) await click(toggle, limit);
          },
          limit => beside().waitFor({ ...limit, state }),
        );
    };
    const leave = async (): Promise<void> => {
      await show('Migrate the build');
      await show('Odd corners');
    };
    await stage.isKeptBy(hide, leave, there);
  });
});
