import assert from 'node:assert/strict';
import * as path from 'node:path';
import type * as vscode from 'vscode';
import { EMPTY, outboxRecords } from '../../../src/chat/outbox/record';
import { Emitter } from '../../../src/util/event';
import { Uri } from '../../fakes/vscode';
import { chatOf, pageOf } from './panelScene';
import { scene } from './scene';
import { cleanUp, temporaryFolder } from './support';

afterEach(cleanUp);

describe('a message that is put into a composer', () => {
  it('goes with its files into that of its session, wherever the person has gone meanwhile', async () => {
    const { window, client, sessionId } = await scene();
    const [computer] = (await client.list('computers')).items;
    const other = await client.createSession({ computerId: computer!.id });
    const selected = new Emitter<readonly unknown[]>();
    const chat = chatOf(window, client, selected.event);
    const { place, said, posted } = pageOf('view');
    await chat.resolveView(place as vscode.WebviewView);
    const draftOf = async (id: string) => {
      await chat.flush();
      const { draft } = (await window.storage.collection(outboxRecords('service1')).read(id)) ?? EMPTY;
      return [draft.text, draft.attachments.map(({ uri }) => path.basename(uri))];
    };
    const file = Uri.file(path.join(temporaryFolder(), 'a.txt')) as unknown as vscode.Uri;
    const shown = new Promise(show => Object.assign(place, { show }));
    const done = chat.prefill({ sessionId, text: 'For the first', files: [file] });
    await shown;
    selected.fire([{ sessionId: other.sessionId }]);
    said.fire({ name: 'ready', params: {} });
    assert.equal(await done, true);
    assert.deepEqual(await draftOf(sessionId), ['For the first', ['a.txt']]);
    assert.deepEqual(await draftOf(other.sessionId), ['', []]);
    assert.ok(!JSON.stringify(posted).includes('For the first'), 'the page is of another session');
  });
});
