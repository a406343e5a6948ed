import assert from 'node:assert/strict';
import * as path from 'node:path';
import { mock } from 'node:test';
import type * as vscode from 'vscode';
import type { ChatPanel } from '../../../src/chat/panel/panel';
import { Places } from '../../../src/chat/panel/places';
import { isPanel } from '../../../src/webview/page';
import { Emitter } from '../../../src/util/event';
import { acts, answers, TabInputWebview, Uri } from '../../fakes/vscode';
import { chatOf, pageOf } from './panelScene';
import { scene } from './scene';
import { afterwards, answering, cleanUp, left, memoryOf, temporaryFolder, until } from './support';

afterEach(cleanUp);

function emptyPanel() {
  const gone = new Emitter<void>();
  return {
    webview: {},
    onDidDispose: gone.event,
    onDidChangeViewState: gone.event,
    dispose: () => gone.fire(),
  };
}

function placesOf(memory = memoryOf(), location: 'panel' | 'view' = 'view') {
  const made: { readonly kind: 'panel' | 'view'; readonly sessionId: string }[] = [];
  const anew: (() => Promise<unknown>)[] = [];
  const places = new Places({
    extensionUri: Uri.file('/extension') as unknown as vscode.Uri,
    sessions: { get: sessionId => ({ sessionId, title: `Title of ${sessionId}`, status: 'idle' }) },
    serviceId: () => 'service',
    location: () => location,
    memory,
    makePanel: (place, { serviceId, sessionId }, startAnew) => {
      if (startAnew !== undefined) anew.push(startAnew);
      made.push({ kind: 'show' in place ? 'view' : 'panel', sessionId });
      const nothing = (): void => undefined;
      let isDisposed = false;
      if (isPanel(place)) place.onDidDispose(() => (isDisposed = true));
      const panel: Partial<ChatPanel> = {
        conversation: { serviceId, sessionId } as unknown as ChatPanel['conversation'],
        panel: { visible: true } as ChatPanel['panel'],
        ...{ isActive: true, title: '', reveal: nothing, dispose: nothing, takeCursor: nothing },
        get isDisposed() {
          return isDisposed;
        },
        close: () => {
          if (isPanel(place)) place.dispose();
        },
      };
      return panel as ChatPanel;
    },
  });
  afterwards(() => places.dispose());
  return { places, made, anew };
}

describe('a tab of an earlier window', () => {
  /** Of the sessions `s1` had a tab; the one with `*` is in front. */
  async function openWith(...labels: readonly string[]) {
    const input = Object.assign(new TabInputWebview(), { viewType: 'mainThreadWebview-agentConsole.chat' });
    const did: unknown[] = [];
    const tabs = labels.map(label => ({
      label: label.replace('*', ''),
      isActive: label.startsWith('*'),
      group: { viewColumn: 2 },
      input,
    }));
    const close = ({ label }: vscode.Tab) => Promise.resolve(did.push(`closed ${label}`) > 0);
    const createWebviewPanel = (_type: string, title: string, column: number) => {
      did.push(`made ${title} in ${column}`);
      return { ...emptyPanel(), title };
    };
    const memory = memoryOf();
    answering({ tabGroups: { all: [], close }, createWebviewPanel });
    const earlier = placesOf(memory, 'panel').places;
    await earlier.show('s1');
    earlier.dispose();
    const restored = createWebviewPanel('', '', 0) as unknown as vscode.WebviewPanel;
    did.length = 0;
    answering({ tabGroups: { all: [{ tabs }], close }, createWebviewPanel });
    return { did, restored, places: placesOf(memory, 'panel').places };
  }

  it('gives its place to its session when that is opened, and no other tab moves', async () => {
    acts.length = 0;
    const { did, places } = await openWith('Other', 'Title of s1', 'Title of s2');
    await places.show('s2');
    await places.show('s1');
    assert.deepEqual(did, ['made Title of s2 in -1', 'closed Title of s1', 'made Title of s1 in 2']);
    assert.deepEqual(acts, [], 'no tab is brought forward to find out what it is');
  });

  it('stays where nobody knows which of several it is', async () => {
    const { did, places } = await openWith('Title of s1', 'Title of s1');
    await places.show('s1');
    assert.deepEqual(did, ['made Title of s1 in -1']);
  });

  it('that is in front is restored by VS Code, and waited for', async () => {
    const { did, places, restored } = await openWith('*Title of s1');
    const shown = places.show('s1');
    await new Promise(resolve => setImmediate(resolve));
    places.restorePanel(restored, { serviceId: 'service', sessionId: 's1', title: 'Older title' });
    assert.equal((await shown).conversation.sessionId, 's1');
    assert.deepEqual(did, []);
  });
});

describe('the view as the place of chats', () => {
  it('is waited for, since VS Code says that it is shown before it is there', async () => {
    const { places, made } = placesOf();
    acts.length = 0;
    const shown = places.show('s1');
    let settled = false;
    const all = places.settled().then(() => (settled = true));
    // What VS Code answers comes first.
    await new Promise(resolve => setImmediate(resolve));
    assert.deepEqual([acts, made, settled], [['commands.executeCommand'], [], false]);
    places.resolveView(pageOf('view').place as vscode.WebviewView);
    await shown;
    await all;
    assert.deepEqual(made, [{ kind: 'view', sessionId: 's1' }]);
    assert.deepEqual(acts, ['commands.executeCommand'], 'no panel is made beside it');
    assert.equal(places.inFront?.conversation.sessionId, 's1');
    assert.deepEqual(
      ['s1', 's2'].map(id => places.isShown(id)),
      [true, false],
    );
  });

  it('that does not come leaves its session to a panel, and does not show it beside that when it comes later', async () => {
    const { places, made } = placesOf();
    answering({ tabGroups: { all: [] }, createWebviewPanel: emptyPanel });
    mock.timers.enable({ apis: ['setTimeout'] });
    afterwards(() => mock.timers.reset());
    const shown = places.show('s1');
    await new Promise(resolve => setImmediate(resolve));
    mock.timers.tick(10_000);
    await shown;
    places.resolveView(pageOf('view').place as vscode.WebviewView);
    assert.deepEqual(made, [{ kind: 'panel', sessionId: 's1' }]);
  });

  it('shows its session again where it was moved to, and after a reload', () => {
    const memory = memoryOf();
    const [now, later] = [placesOf(memory), placesOf(memory)];
    const resolve = ({ places }: typeof now): void =>
      places.resolveView(pageOf('view').place as vscode.WebviewView);
    resolve(now);
    now.places.follow('s1');
    for (const each of [now, later]) resolve(each);
    const made = [now, later].map(each => each.made.map(({ sessionId }) => sessionId));
    assert.deepEqual(made, [['s1', 's1'], ['s1']]);
  });

  it('that cannot be asked for leaves its session to a panel at once', async () => {
    const { places, made } = placesOf();
    answering({ tabGroups: { all: [] }, createWebviewPanel: emptyPanel });
    answers.set('executeCommand', Promise.reject(new Error('no such command')));
    mock.timers.enable({ apis: ['setTimeout'] });
    afterwards(() => {
      answers.clear();
      mock.timers.reset();
    });
    await places.show('s1');
    assert.deepEqual(made, [{ kind: 'panel', sessionId: 's1' }]);
  });
});

describe('a panel that was closed', () => {
  it('is not kept in memory', async () => {
    const tabs = [emptyPanel(), emptyPanel()];
    answering({ tabGroups: { all: [] }, createWebviewPanel: () => tabs.shift() });
    const [tab] = tabs;
    const { places } = placesOf(memoryOf(), 'panel');
    const shown = new WeakRef(await places.show('s1'));
    await places.show('s2');
    assert.equal(left([shown]).length, 1);
    tab?.dispose();
    await new Promise(resolve => setImmediate(resolve));
    assert.equal(left([shown]).length, 0);
  });
});

describe('a page that does not load', () => {
  it('says to who asked for another in its place why there is none', async () => {
    const { places, made, anew } = placesOf(memoryOf(), 'panel');
    const createWebviewPanel = () => (made.length === 0 ? emptyPanel() : assert.fail('no more panels'));
    answering({ tabGroups: { all: [] }, createWebviewPanel });
    await places.show('s1');
    await assert.rejects(anew[0]!(), /no more panels/);
  });
});

describe('the chat in front', () => {
  it('gets what is attached where it is, also as soon as it is asked for, and when chats are opened elsewhere by now', async () => {
    const { window, client, sessionId } = await scene();
    let location: 'panel' | 'view' = 'view';
    const chat = chatOf(window, client, undefined, undefined, () => location);
    const { place, said, posted, heard } = pageOf('view');
    answering({ createWebviewPanel: () => assert.fail('a panel is made') });
    acts.length = 0;
    const opened = chat.commands.open(sessionId);
    const turn = () => new Promise(resolve => setImmediate(resolve));
    while (!acts.includes('commands.executeCommand')) await turn();
    location = 'panel';
    const attached = chat.commands.attachFiles(Uri.file(path.join(temporaryFolder(), 'a.txt')));
    await turn();
    await chat.resolveView(place as vscode.WebviewView);
    await opened;
    said.fire({ name: 'ready', params: {} });
    await attached;
    await until(heard.event, () => JSON.stringify(posted).includes('a.txt'));
  });
});

describe('find and export', () => {
  it('are of the chat the person works in, of whatever service', async () => {
    const { window, client, sessionId } = await scene();
    const shown: string[] = [];
    const show = (id: string): Promise<void> => Promise.resolve(void shown.push(id));
    const chat = chatOf(window, client, undefined, show);
    const told = ['another', 'service1'].map(serviceId => {
      const { place, said, posted } = pageOf('panel', serviceId === 'another');
      void chat.restorePanel(place as vscode.WebviewPanel, { serviceId, sessionId, title: 'A title' });
      said.fire({ name: 'ready', params: {} });
      return posted;
    });
    await chat.commands.find();
    await chat.commands.export();
    const found = told.map(posted => posted.some(({ name }) => name === 'find'));
    assert.deepEqual([found, shown], [[true, false], [`another\n${sessionId}`]]);
  });
});
