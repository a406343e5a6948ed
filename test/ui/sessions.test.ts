import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Session } from '../../src/api';
import type { SampleService } from '../fakes/sampleService';
import { again } from '../until';
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
          ...{ sessionId: title, title, status: 'idle', messageCount: 4 },
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
    const removed = await workbench.notified(/Removed “Gamma”/);
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

  it('opens a link only after a question, and none to another service', async () => {
    const [, , known = ''] = service.sessionIds;
    const link = (host: string): string =>
      `code-oss://agent-console.agent-console/session/${known}?service=${encodeURIComponent(host)}`;
    const follow = async (address: string, outcome: Locator): Promise<void> => {
      await workbench.ask('Developer: Open URL', 'URL to open', address);
      const allow = dialog(/to open this URI/).getByRole('button', { name: 'Open' });
      await again(
        async limit => {
          if (await allow.isVisible()) await click(allow, limit);
        },
        limit => outcome.waitFor(limit),
      );
    };
    const question = dialog(/Open session “/);
    await follow(link(new URL(service.baseUrl).host), question);
    const asked = service.requests.filter(({ path: at }) => at.endsWith(known));
    assert.deepEqual(asked, [], 'nothing is asked before the person has agreed');
    await question.getByRole('button', { name: 'Open session' }).click();
    // The chat that opens takes the keyboard, and with it every box that is open then.
    await workbench.tab('Odd corners').waitFor();
    await workbench.front.locator(':focus').waitFor();
    await follow(link('elsewhere.example'), workbench.news);
    await workbench.notified(/link is to a session at elsewhere\.example/);
  });

  it('counts in its title what is listed, and in the badge what waits and what is unread', async () => {
    const [waits = '', works = ''] = service.sessionIds;
    const icon = workbench.activityIcon('Agent Console');
    const badge = (count: RegExp) => icon.locator('.badge-content').filter({ hasText: count }).waitFor();
    const running = service.busy(works);
    await change(workbench, service, async (index, id) => {
      for (const sessionId of [waits, works]) {
        const session = await service.ask<Session>(`/api/v0/sessions/${sessionId}`);
        const title = sessionId === waits ? 'Waits for you' : 'Works on';
        await index.learn(id, { session, origin: 'created', at: Date.now() });
        await index.keep(sessionId, () => ({ name: title, readCount: 0 }));
      }
      await index.signal(id, { sessionId: waits, kind: 'waiting', at: Date.now() }, undefined);
    });
    await row(/^Waiting for input/).waitFor();
    await row(/^Running/).waitFor();
    await badge(/^1$/);
    await view().locator('.pane-header .description', { hasText: /^7 · / }).waitFor();
    running.dispose();
    await workbench.runCommand('Agent Console: Refresh');
    await gone(/^Running/);
    await badge(/^2$/);
    const label = (await icon.locator('a').getAttribute('aria-label')) ?? '';
    assert.match(label, /Waiting for you: 1, Unread: 1/);
    await workbench.contextMenu(row('Waits for you'), 'Archive session on this machine');
    await gone(/^Waiting for input/);
    await badge(/^1$/);
  });

  it('shows those of this workspace alone, or all', async () => {
    const choose = async (option: string): Promise<void> => {
      await workbench.viewAction('Sessions', 'Sessions view options');
      await workbench.pick(option);
    };
    await row('Delta').waitFor();
    await choose('Only sessions of this workspace');
    await gone('Delta');
    await row('Odd corners').waitFor();
    await view().getByText('Only sessions of this workspace are shown: ').waitFor();
    await choose('All sessions');
    await row('Delta').waitFor();
  });
});
