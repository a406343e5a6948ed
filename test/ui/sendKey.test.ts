import assert from 'node:assert/strict';
import * as path from 'node:path';
import { type Browser, type Page } from 'playwright-core';
import type { PanelState } from '../../src/chat/protocol';
import { root } from '../vscode/paths';
import { sharedBrowser } from '../vscode/server';
import { openChatPage } from './chatPage';

const state = (sending: boolean): PanelState => ({
  header: {
    title: 't',
    facts: [],
    status: { word: 'idle', icon: 'circle', spin: false },
    refreshing: false,
    about: '{}',
  },
  composer: {
    chips: [],
    total: '',
    sending,
    queues: sending,
    queue: [],
    queueNote: '',
    queueStopped: false,
    canStop: false,
    target: '',
    sendKey: 'enter',
    largePaste: 'inline',
    fileLimit: 1000,
  },
  removed: false,
});

/** What is pressed at a bad moment counts all the same. */
describe('the send key', () => {
  let browser: Browser;
  let page: Page;

  const tell = (name: string, payload: unknown): Promise<unknown> =>
    page.evaluate(`tell(${JSON.stringify(name)}, ${JSON.stringify(payload)}); drawn()`);
  const sent = (): Promise<string[]> =>
    page.evaluate<string[]>(
      `said.filter(({ kind, name }) => kind === 'request' && name === 'send').map(({ params }) => params.text)`,
    );
  const field = () => page.getByRole('textbox', { name: 'Message to the agent' });

  before(async () => {
    browser = await sharedBrowser();
  });
  beforeEach(async () => {
    page = await openChatPage(browser, path.join(root, 'dist'));
  });
  afterEach(() => page.close());

  it('sends once the message before has left, when it was pressed earlier', async () => {
    await tell('state', state(true));
    await field().fill('Thank you');
    await field().press('Enter');
    await field().press('Enter');
    assert.deepEqual(await sent(), []);
    await tell('state', state(false));
    await page.waitForFunction(`said.some(({ name }) => name === 'send')`);
    await tell('state', state(true));
    await tell('state', state(false));
    assert.deepEqual(await sent(), ['Thank you']);
  });

  it('counts no more when something was written after it', async () => {
    await tell('state', state(true));
    await field().fill('Thank you');
    await field().press('Enter');
    await field().pressSequentially(', but');
    await tell('state', state(false));
    await tell('state', state(false));
    assert.deepEqual(await sent(), []);
    await field().press('Enter');
    assert.deepEqual(await sent(), ['Thank you, but']);
  });
});
