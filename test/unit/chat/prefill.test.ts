import assert from 'node:assert/strict';
import * as path from 'node:path';
import type * as vscode from 'vscode';
import { EMPTY, outboxRecords } from '../../../src/chat/outbox/record';
import { Emitter } from '../../../src/util/event';
import { Uri } from '../../fakes/vscode';
import type { ToPage } from './panelScene';
import { chatOf } from './chatOf';
import { scene } from './scene';
import { cleanUp, temporaryFolder } from './support';

afterEach(cleanUp);

/** The whole chat of a window with the view as its place. */
async function chatInView() {
  const { window, client, sessionId } = await scene();
  const [computer] = (await client.list('computers')).items;
  const other = await client.createSession({ computerId: computer!.id });
  const selected = new Emitter<readonly unknown[]>();
  const chat = chatOf(window, client, selected.event);
  const said = new Emitter<unknown>();
  const drawn = new Emitter<string>();
  const posted: ToPage[] = [];
  await chat.resolveView({
    visible: true,
    show: () => undefined,
    onDidChangeVisibility: new Emitter<void>().event,
    onDidDispose: new Emitter<void>().event,
    webview: {
      set html(html: string) {
        drawn.fire(html);
      },
      options: {},
      asWebviewUri: (uri: unknown) => uri,
      onDidReceiveMessage: said.event,
      postMessage: (message: ToPage) => posted.push(message),
    },
  } as unknown as vscode.WebviewView);
  const draftOf = async (id: string) => {
    await chat.flush();
    const { draft } = (await window.storage.collection(outboxRecords('service1')).read(id)) ?? EMPTY;
    return [draft.text, draft.attachments.map(({ uri }) => path.basename(uri))];
  };
  return { chat, sessionId, other: other.sessionId, selected, said, drawn: drawn.event, posted, draftOf };
}

describe('a message that is put into a composer', () => {
  it('goes with its files into that of its session, wherever the person has gone meanwhile', async () => {
    const { chat, sessionId, other, selected, said, drawn, posted, draftOf } = await chatInView();
    const file = Uri.file(path.join(temporaryFolder(), 'a.txt')) as unknown as vscode.Uri;
    const shown = new Promise(resolve => drawn(resolve));
    const done = chat.prefill({ sessionId, text: 'For the first', files: [file] });
    await Promise.race([shown, done]);
    selected.fire([{ sessionId: other }]);
    said.fire({ name: 'ready', params: {} });
    assert.equal(await done, true);
    assert.deepEqual(await draftOf(sessionId), ['For the first', ['a.txt']]);
    assert.deepEqual(await draftOf(other), ['', []]);
    assert.ok(!JSON.stringify(posted).includes('For the first'), 'the page is of another session');
  });
});
