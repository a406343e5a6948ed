import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import type { ChatPanel } from '../../../src/chat/panel';
import type { ChatPlace } from '../../../src/chat/place';
import { Places } from '../../../src/chat/places';
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

function placesOf() {
  const made: { readonly kind: ChatPlace['kind']; readonly sessionId: string }[] = [];
  const places = new Places({
    extensionUri: Uri.file('/extension') as unknown as vscode.Uri,
    sessions: { get: () => undefined },
    serviceId: () => 'service',
    location: () => 'view',
    memory: { get: () => undefined, update: () => Promise.resolve() },
    makePanel: ({ kind }, { serviceId, sessionId }) => {
      made.push({ kind, sessionId });
      const panel: Partial<ChatPanel> = {
        conversation: { serviceId, sessionId } as unknown as ChatPanel['conversation'],
        isActive: true,
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
  });
});
