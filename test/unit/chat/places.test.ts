import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import type { ChatPanel } from '../../../src/chat/panel/panel';
import type { ChatPlace } from '../../../src/chat/panel/place';
import { Places } from '../../../src/chat/panel/places';
import { Emitter } from '../../../src/util/event';
import { acts, TabInputWebview, Uri } from '../../fakes/vscode';
import { afterwards, answering, cleanUp, memoryOf } from './support';

afterEach(cleanUp);

/** A view as VS Code hands it over. */
function viewOf(): vscode.WebviewView {
  const gone = new Emitter<void>();
  return {
    visible: true,
    show: () => undefined,
    onDidChangeVisibility: new Emitter<void>().event,
    onDidDispose: gone.event,
    webview: { html: '', cspSource: 'pages:', asWebviewUri: (uri: unknown) => uri },
  } as unknown as vscode.WebviewView;
}

function placesOf(memory = memoryOf(), location: 'panel' | 'view' = 'view') {
  const made: { readonly kind: ChatPlace['kind']; readonly sessionId: string }[] = [];
  const places = new Places({
    extensionUri: Uri.file('/extension') as unknown as vscode.Uri,
    sessions: { get: sessionId => ({ sessionId, title: `Title of ${sessionId}`, status: 'idle' }) },
    serviceId: () => 'service',
    location: () => location,
    memory,
    makePanel: ({ kind }, { serviceId, sessionId }) => {
      made.push({ kind, sessionId });
      const isThere = (): boolean => true;
      const place = { isActive: isThere, isVisible: isThere, title: () => '' } as ChatPanel['place'];
      const panel: Partial<ChatPanel> = {
        conversation: { serviceId, sessionId } as unknown as ChatPanel['conversation'],
        place,
        onDidDispose: new Emitter<void>().event as vscode.Event<void>,
        reveal: () => undefined,
        leave: () => undefined,
        release: () => undefined,
        takeCursor: () => undefined,
      };
      return panel as ChatPanel;
    },
  });
  afterwards(() => places.dispose());
  return { places, made };
}

describe('a tab of an earlier window', () => {
  const tabs = (...labels: readonly string[]) => {
    const group = { viewColumn: 2 };
    const input = Object.assign(new TabInputWebview(), {
      viewType: 'mainThreadWebview-agentConsole.chat',
    });
    const closed: unknown[] = [];
    const made: unknown[] = [];
    const all = [
      {
        tabs: labels.map(each => ({
          label: each.replace('*', ''),
          isActive: each.startsWith('*'),
          group,
          input,
        })),
      },
    ];
    const close = ({ label }: vscode.Tab) => Promise.resolve(closed.push(label) > 0);
    const createWebviewPanel = (_type: string, title: string, column: number) => {
      made.push([title, column]);
      const never = new Emitter<void>().event;
      return { title, webview: {}, onDidDispose: never, onDidChangeViewState: never };
    };
    answering({ tabGroups: { all, close }, createWebviewPanel });
    const restored = createWebviewPanel('', '', 0) as unknown as vscode.WebviewPanel;
    made.length = 0;
    return { closed, made, restored };
  };

  it('gives its place to the session that is opened, and no other tab moves', async () => {
    const memory = memoryOf();
    const panels = (sessionId: string) => placesOf(memory, 'panel').places.show(sessionId);
    tabs();
    await panels('s1');
    acts.length = 0;
    const { closed, made } = tabs('Other', 'Title of s1', 'Session');
    await panels('s2');
    await panels('s1');
    assert.deepEqual(closed, ['Title of s1']);
    assert.deepEqual(made, [
      ['Title of s2', -1],
      ['Title of s1', 2],
    ]);
    assert.deepEqual(acts, [], 'no tab is brought forward to find out what it is');
    const twice = tabs('Title of s1', 'Title of s1');
    await panels('s1');
    assert.deepEqual(twice.closed, [], 'nobody knows which it is');
  });

  it('in front is restored by VS Code, and waited for', async () => {
    const memory = memoryOf();
    tabs();
    await placesOf(memory, 'panel').places.show('s1');
    const { closed, made, restored } = tabs('*Title of s1');
    const { places } = placesOf(memory, 'panel');
    const shown = places.show('s1');
    await new Promise(resolve => setImmediate(resolve));
    places.restorePanel(restored, { serviceId: 'service', sessionId: 's1', title: 'Older title' });
    assert.equal((await shown).conversation.sessionId, 's1');
    assert.deepEqual([closed, made], [[], []]);
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
    places.resolveView(viewOf(), undefined);
    await shown;
    await all;
    assert.deepEqual(made, [{ kind: 'view', sessionId: 's1' }]);
    assert.deepEqual(acts, ['commands.executeCommand'], 'no panel is made beside it');
    assert.equal(places.inFront?.conversation.sessionId, 's1');
  });

  it('shows the session that was asked for last', async () => {
    const { places, made } = placesOf();
    places.resolveView(viewOf(), undefined);
    await Promise.all([places.show('s1'), places.show('s2')]);
    assert.deepEqual(
      made.map(({ sessionId }) => sessionId),
      ['s1', 's2'],
    );
    assert.equal(places.inFront?.conversation.sessionId, 's2');
    assert.deepEqual(
      ['s1', 's2'].map(id => places.isShown(id)),
      [false, true],
    );
  });

  it('comes back after a reload with the session it showed, also when the editor kept less', async () => {
    const memory = memoryOf();
    const before = placesOf(memory);
    before.places.resolveView(viewOf(), undefined);
    await before.places.show('s1');
    const stale = { serviceId: 'service', sessionId: 's0', title: 'Earlier' };
    const after = placesOf(memory);
    after.places.resolveView(viewOf(), stale);
    assert.deepEqual(after.made, [{ kind: 'view', sessionId: 's1' }]);
  });
});
