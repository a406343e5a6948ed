import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import type { ChatPanel } from '../../../src/chat/panel/panel';
import type { ChatPlace } from '../../../src/chat/panel/place';
import { Places } from '../../../src/chat/panel/places';
import { Emitter } from '../../../src/util/event';
import { acts, Uri } from '../../fakes/vscode';
import { afterwards, cleanUp } from './support';

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

/** What VS Code keeps of a window over a reload: as JSON. */
function memoryOf(): vscode.Memento {
  const kept = new Map<string, string>();
  return {
    keys: () => [...kept.keys()],
    get: (key: string) => JSON.parse(kept.get(key) ?? 'null') as unknown,
    update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, JSON.stringify(value))),
  } as vscode.Memento;
}

function placesOf(memory = memoryOf()) {
  const made: { readonly kind: ChatPlace['kind']; readonly sessionId: string }[] = [];
  const places = new Places({
    extensionUri: Uri.file('/extension') as unknown as vscode.Uri,
    sessions: { get: () => undefined },
    serviceId: () => 'service',
    location: () => 'view',
    memory,
    makePanel: ({ kind }, { serviceId, sessionId }) => {
      made.push({ kind, sessionId });
      const panel: Partial<ChatPanel> = {
        conversation: { serviceId, sessionId } as unknown as ChatPanel['conversation'],
        isActive: true,
        isVisible: true,
        onDidDispose: new Emitter<void>().event as vscode.Event<void>,
        reveal: () => undefined,
        leave: () => undefined,
        release: () => undefined,
      };
      return panel as ChatPanel;
    },
  });
  afterwards(() => places.dispose());
  return { places, made };
}

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
