import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Session } from '../../src/api';
import type { SampleService } from '../fakes/sampleService';
import { again } from '../until';
import { commandLink } from './hostile';
import { change } from './seed';
import { onStage } from './stage';
import { click } from './waiting';
import type { Workbench } from './workbench';

/** What people do to the list of sessions, with keys and with the pointer. */
describe('the sessions view at work', () => {
  let service: SampleService;
  let workbench: Workbench;

  const row = (text: string | RegExp): Locator => workbench.row('Sessions', text);
  const press = (key: string): Promise<void> => workbench.page.keyboard.press(key);
  const view = (): Locator => workbench.view('Sessions');
  const focused = (): Locator => view().locator('.monaco-list-row.focused');
  const selected = (hasText: string): Promise<void> =>
    view().locator('.monaco-list-row.selected', { hasText }).waitFor();
  const gone = (text: string | RegExp): Promise<void> => row(text).waitFor({ state: 'detached' });
  const dialog = (text: string | RegExp): Locator =>
    workbench.page.getByRole('dialog').filter({ hasText: text });
  const rename = async (to: string): Promise<void> => {
    await workbench.quickInput.getByText('The name stays on this machine').waitFor();
    await workbench.answer(to);
  };
  /** The keyboard goes to the list and, by the arrow keys, to a row. */
  const goTo = async (text: string): Promise<void> => {
    await again(
      () => press('Control+Alt+F8'),
      limit => view().locator('.monaco-list:focus').waitFor(limit),
    );
    await press('Home');
    await view().locator('.monaco-list-row.focused[data-index="0"]').waitFor();
    for (let at = 0; !((await focused().innerText()).includes(text) && at > 0);) {
      assert.ok(at < 20, `no row ${text}`);
      await press('ArrowDown');
      await view().locator(`.monaco-list-row.focused[data-index="${++at}"]`).waitFor();
    }
  };

  onStage(stage => ({ service, workbench } = stage), {
    service: { pace: 0.02 },
    height: 1200,
    // By the palette the keyboard would first go back to where it was, and take a key along.
    keybindings: [{ key: 'ctrl+alt+f8', command: 'agentConsole.sessions.focus' }],
  });

  it('is worked with the keyboard alone: open, remove, rename, menu', async () => {
    await workbench.openContainer('Agent Console');
    await workbench.row('Computers', 'active').waitFor();
    await change(workbench, service, async (index, id) => {
      for (const [minutes, title] of ['Alpha', 'Beta', 'Gamma', 'Delta'].entries()) {
        const updatedAt = Date.now() - (minutes + 1) * 60_000;
        const session: Session = {
          ...{ sessionId: title, title: `${title} ${commandLink}`, status: 'idle', messageCount: 4 },
          ...{ createdAt: updatedAt, updatedAt },
        };
        const elsewhere = { uri: 'file:///home/ada/billing', name: 'billing' };
        const workspace = title === 'Delta' ? elsewhere : undefined;
        await index.learn(id, { session, origin: 'created', at: Date.now(), workspace });
      }
    });
    await row('Delta').waitFor();
    await goTo('Alpha');
    await press('Enter');
    await workbench.tab('Alpha').waitFor();
    await workbench.front.locator('textarea:focus').waitFor();
    await goTo('Beta');
    await press('Space');
    await workbench.tab('Beta').waitFor();
    await workbench.front.getByRole('textbox').waitFor();

    await goTo('Gamma');
    await selected('Beta');
    await press('Delete');
    await gone('Gamma');
    await selected('Beta');
    await focused().filter({ hasText: 'Delta' }).waitFor();
    const removed = await workbench.notified(/Removed “Gamma \[x\] \(command:/);
    assert.equal(await removed.locator('.notification-list-item-message a').count(), 0);
    await removed.getByRole('button', { name: 'Undo' }).click();
    await row('Gamma').waitFor();
    await goTo('Gamma');

    await press('F2');
    await rename('Third');
    await row('Third').waitFor();
    await view().locator('.monaco-list:focus').waitFor();
    await goTo('Third');
    await press('Shift+F10');
    const menu = workbench.page.locator('.monaco-menu').getByText('Remove session from this list');
    await menu.waitFor();
    await press('Escape');
    await menu.waitFor({ state: 'detached' });
    await goTo('Third');
    await press('F2');
    await rename('');
    await row('Gamma').waitFor();
  });

  it('opens a link only after a question', async () => {
    const [, , known = ''] = service.sessionIds;
    const of = encodeURIComponent(new URL(service.baseUrl).host);
    const link = `code-oss://agent-console.agent-console/session/${known}?service=${of}`;
    await workbench.ask('Developer: Open URL', 'URL to open', link);
    const allow = dialog(/to open this URI/).getByRole('button', { name: 'Open' });
    const question = dialog(/Open session “/);
    await again(
      async limit => {
        if (await allow.isVisible()) await click(allow, limit);
      },
      limit => question.waitFor(limit),
    );
    const asked = service.requests.filter(({ path: at }) => at.endsWith(known));
    assert.deepEqual(asked, [], 'nothing is asked before the person has agreed');
    await question.getByRole('button', { name: 'Open session' }).click();
    await workbench.tab('Odd corners').waitFor();
  });
});
