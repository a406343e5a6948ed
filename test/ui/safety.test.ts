import assert from 'node:assert/strict';
import * as path from 'node:path';
import type { Locator } from 'playwright-core';
import { FaultServer } from '../fakes/faultServer';
import type { SampleService } from '../fakes/sampleService';
import { toDisposable, type IDisposable } from '../../src/util/lifecycle';
import { until } from '../until';
import { root } from '../vscode/paths';
import { commandLink, corpus, hostileMessages, lines, packageProbe } from './hostile';
import { inspect, readThrough, textsBelow, watch, type Watched } from './hostile';
import { onStage } from './stage';
import type { Workbench } from './workbench';

const KEY = 'canary_4f1d6c0b9e8a47d2b5c3';
/** Links in what VS Code shows, beyond the buttons and names it makes of links itself. */
const LIVE_LINK = 'a:not(.action-label):not(.monaco-button):not(.label-name)';
const MESSAGES = '.notifications-center .notification-list-item-message';
const HOSTILE_NAME = `${commandLink} <img src=x onerror=canary('name')> \u202Etxt.exe`;
const FILE_NAMES = [
  '[x](command:workbench.action.openSettings) $(zap).txt',
  "<img src=x onerror=canary('file')>.txt",
  '"onmouseover="canary(1).txt',
];

/** Everything the service may say is hostile, and the page's policy is switched off: only our own care is left. */
describe('hostile content', () => {
  let service: SampleService;
  let workbench: Workbench;
  let seen: Watched;
  let hostility: IDisposable;

  const noLinks = async (where: string): Promise<void> => {
    assert.deepEqual(await workbench.page.locator(where).locator(LIVE_LINK).allInnerTexts(), []);
  };
  const noIcons = async (where: string): Promise<void> => {
    assert.equal(await workbench.page.locator(where).locator('.codicon-zap').count(), 0);
  };
  /** The picker that is open shows foreign words as text. */
  const isPlain = async (): Promise<void> => {
    await workbench.quickInput.getByText('$\u200b(zap)').first().waitFor();
    await noIcons('.quick-input-widget');
    await noLinks('.quick-input-widget');
  };
  /** A notice tells them as text. */
  const isTold = async (words: RegExp): Promise<Locator> => {
    const notice = await workbench.notified(words);
    await noLinks(MESSAGES);
    return notice;
  };

  onStage(
    stage => ({ service, workbench } = stage),
    {
      files: Object.fromEntries(FILE_NAMES.map(name => [name, `${name}\n`])),
      service: { keys: { owner: KEY } },
      signedIn: false,
      extensions: [root],
      contextOptions: { bypassCSP: true },
      prepare: async page => {
        seen = await watch(page);
      },
    },
    prepared => {
      hostility = makeHostile(prepared.service);
      return { vsix: [packageProbe(path.join(prepared.parent, 'probe'))] };
    },
  );
  before(async () => {
    await workbench.openContainer('Agent Console');
    await workbench.beginSignIn();
    await workbench.signIn(service.baseUrl, service.appUrl, KEY);
    await workbench.rows('Computers').first().waitFor();
  });

  it('is seen where nobody guards against it', async () => {
    await workbench.runCommand('Probe: show');
    await workbench.quickInput.locator(LIVE_LINK).waitFor();
    const told = await workbench.notified('x');
    await told.locator(LIVE_LINK).waitFor();
    await workbench.quickInput.locator('input.input').press('Escape');
    await workbench.quickInput.locator('.codicon-zap').waitFor();
    await workbench.page.keyboard.press('Escape');
    await workbench.runCommand('Notifications: Clear All Notifications');
  });

  it('stays text in trees, pickers, progress and refusals', async () => {
    await noIcons('.sidebar .pane-body');
    await workbench.viewAction('Sessions', 'New session');
    await isPlain();
    service.fail({ kind: 'delay', ms: 60_000, times: 1, match: { method: 'POST' } });
    await workbench.pick(/^\s*0 /, 'Default');
    const progress = await isTold(/Creating a session on/);
    await progress.getByRole('button', { name: 'Cancel' }).click();
    await workbench.notified(/not known whether/);

    service.fail({ kind: 'alter', times: 1, match: { method: 'POST' }, alter: named });
    await workbench.viewAction('Sessions', 'New session');
    await workbench.pick(/^\s*2 /, 'Default');
    const doubt = workbench.page.getByRole('dialog').filter({ hasText: 'is not active' });
    await doubt.getByText('[x] (command:').waitFor();
    await noLinks('.monaco-dialog-box');
    await doubt.getByRole('button', { name: 'Create anyway' }).click();
    await isTold(/409.*It says: \[x\] \(command:/);
    await workbench.openSession('no-such-session');
    await isTold(/404, request \[x\] \(command:/);
    await workbench.runCommand('Notifications: Clear All Notifications');
  });

  it('stays text in titles and file names', async () => {
    await workbench.openSession(service.sessionIds[2]);
    await workbench.front.getByRole('heading', { level: 1 }).getByText('(zap)').waitFor();
    await workbench.tab('$(zap)').waitFor();
    await workbench.row('Sessions', '[x](command:').waitFor();
    await noIcons('.tabs-container, .sidebar .pane-body, .breadcrumbs-control');
    await workbench.runCommand('Agent Console: Open session…');
    await isPlain();
    await workbench.page.keyboard.press('Escape');
    await workbench.explorerMenu(FILE_NAMES, 'Send to agent session');
    const chips = workbench.front.getByRole('list', { name: 'Attachments' }).getByRole('listitem');
    await chips.nth(FILE_NAMES.length - 1).waitFor();
    assert.deepEqual((await chips.locator('.chip-name').allInnerTexts()).sort(), FILE_NAMES.toSorted());
    assert.deepEqual(await workbench.inPage(inspect), []);
  });

  it('stays text in a transcript, all of it', async () => {
    await workbench.front.getByRole('textbox').fill(HOSTILE_NAME);
    await workbench.page.keyboard.press('Enter');
    await workbench.pageShows(`(() => {
      const log = document.querySelector('.log');
      log.dispatchEvent(new WheelEvent('wheel'));
      log.scrollTop = 0;
      return log.textContent.includes('Show me everything you can say');
    })()`);
    const all = corpus.length;
    const kinds = [
      { name: 'a message with every payload as an answer', markdown: all, opened: 0 },
      { name: 'with every payload as a thought', markdown: all, opened: all },
      { name: 'with every payload as commentary', markdown: all + 2, opened: all + 2 },
      { name: 'with payloads in calls and results of tools', markdown: 0, opened: lines.length },
    ];
    // What is drawn late on a slow machine is met when the transcript is gone through again.
    for (let missing = kinds, pass = 1; missing.length > 0; pass++) {
      assert.ok(pass <= 5, missing[0]?.name);
      const { findings, rows } = await workbench.inPage(readThrough);
      assert.deepEqual(findings, []);
      missing = missing.filter(
        kind => !rows.some(row => row.markdown === kind.markdown && row.opened === kind.opened),
      );
    }
  });

  it('opens a link only after a click and a question, and only to the web', async () => {
    const link = workbench.front.locator('.markdown a').first();
    await link.scrollIntoViewIfNeeded();
    const href = (await link.getAttribute('href')) ?? '';
    assert.match(href, /^https:\/\/collect\.invalid\//);
    await link.click();
    const question = workbench.page.getByRole('dialog').filter({ hasText: 'collect.invalid' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
  });

  it('has run nothing and asked nobody', async () => {
    assert.deepEqual(seen.ran, []);
    assert.deepEqual(seen.asked, []);
    const foreign = seen.byPages.filter(url => !ownAddress(url, workbench.server.url));
    assert.deepEqual(foreign, []);
    // The same page does run and ask when somebody lets it.
    const add = `document.body.insertAdjacentHTML('beforeend',
      '<img src="https://collect.invalid/control" onerror="canary(\\'control\\')">')`;
    await workbench.inPage(frame => frame.evaluate(add));
    await workbench.pageShows(`document.images[document.images.length - 1].complete`);
    await until(() => seen.ran.some(text => text.startsWith('control')));
    assert.deepEqual(seen.asked, ['https://collect.invalid/control']);
    assert.ok((await workbench.inPage(inspect)).includes('img onerror'));
  });

  it('never meets the key: not in the page, its messages, files, settings or logs', async () => {
    hostility.dispose();
    service.fail({ kind: 'reset', times: 1, match: { method: 'POST' } });
    await workbench.front.getByRole('textbox').fill('Once more');
    await workbench.front.getByRole('textbox').press('Enter');
    await workbench.front.locator(':text("not known whether")').first().waitFor();

    assert.ok(service.requests.some(request => request.credential === 'owner'));
    assert.ok(seen.messages.some(message => message.includes('splice')));
    const texts = textsBelow(workbench.server.userDataFolder);
    texts.set('messages to pages', seen.messages.join('\n')).set('logs', workbench.server.logs());
    for (const [index, frame] of workbench.page.frames().entries()) {
      const isGone = (error: unknown): void => assert.ok(frame.isDetached(), String(error));
      texts.set(`frame ${String(index)} ${frame.url()}`, (await frame.content().catch(isGone)) ?? '');
    }
    const names = [...texts.keys()].join('\n');
    for (const part of ['settings.json', 'globalStorage', 'console.db'])
      assert.ok(names.includes(part), part);
    const spellings = [KEY, btoa(KEY).slice(0, 20), Buffer.from(KEY).toString('hex')];
    for (const [name, text] of texts)
      assert.ok(!spellings.some(spelling => text.includes(spelling)), `the key is in ${name}`);
  });

  it('stays text where a service refuses everything: in sign-in, views, and what a key can read', async () => {
    const hostile = await FaultServer.start();
    const body = { title: commandLink, detail: `${commandLink} ${lines[0] ?? ''}`, requestId: commandLink };
    const refuse = (status: number): void =>
      hostile.answer({ kind: 'answer', status, body, headers: { 'X-Request-Id': commandLink } });
    await workbench.runCommand('Agent Console: Sign in');
    for (const status of [422, 401]) {
      refuse(status);
      await workbench.signIn(hostile.origin, hostile.origin, KEY);
      const why = new RegExp(`${String(status)}, request \\[x\\] \\(command:`);
      await workbench.quickInput.getByText(why).waitFor();
      await noLinks('.quick-input-widget');
    }
    refuse(403);
    await workbench.answer(KEY);
    await workbench.notified('Signed in');
    await workbench.runCommand('Agent Console: Show what this key can read');
    await workbench.quickInput.locator('.monaco-list-row').filter({ hasText: '403' }).nth(4).waitFor();
    await noIcons('.quick-input-widget');
    await noLinks('.quick-input-widget');
    await workbench.page.keyboard.press('Escape');
    await workbench.openContainer('Agent Console');
    await workbench.view('Computers').getByText(/403/).waitFor();
    await noLinks('.sidebar .message');
    await noIcons('.sidebar .message');
    refuse(401);
    await workbench.viewAction('Computers', 'Refresh');
    await isTold(/401, request \[x\] \(command:/);
    await hostile.close();
  });
});

/** The pages' own address inside VS Code: its server, and the host it serves extensions' files under. */
function ownAddress(url: string, server: string): boolean {
  const { protocol, host, hostname } = new URL(url);
  const isOurs = host === new URL(server).host || hostname.endsWith('.vscode-cdn.net');
  return isOurs || ['data:', 'blob:', 'about:'].includes(protocol);
}

/** An answer whose words are hostile. */
const named = (body: unknown): object => ({
  ...(body as object),
  ...{ title: HOSTILE_NAME, detail: HOSTILE_NAME, requestId: commandLink },
});

/** Titles, names and states of everything become hostile. */
function makeHostile(service: SampleService): IDisposable {
  const computers = (body: unknown): unknown => {
    const { computers: items, ...rest } = body as { readonly computers: readonly object[] };
    const words = { providerType: HOSTILE_NAME, remoteUser: HOSTILE_NAME };
    const hostile = items.map((item, index) => ({
      ...{ ...item, ...words, name: `${String(index)} ${HOSTILE_NAME}`, hostname: lines[index] },
    }));
    return { ...rest, computers: hostile };
  };
  const faults = [
    service.fail({ kind: 'alter', match: { path: /\/messages\// }, alter: hostileMessages() }),
    service.fail({ kind: 'alter', match: { method: 'GET', path: '/api/v0/computers' }, alter: computers }),
    service.fail({
      kind: 'alter',
      match: { method: 'GET', path: /^\/api\/v0\/sessions\/[^/]+$/ },
      alter: named,
    }),
  ];
  return toDisposable(() => faults.forEach(fault => fault.dispose()));
}
