import assert from 'node:assert/strict';
import type { PanelState, Start } from '../../../src/chat/protocol';
import { panelOf, type ToPage } from './panelScene';
import { busy, posts, queueUp, scene, sendAndRead, type Scene } from './scene';
import { answering, cleanUp, openWindow, temporaryFolder, until, writeFile } from './support';

afterEach(cleanUp);

const ready = { name: 'ready', params: {} };

/** A panel whose page listens. */
function begun(...about: Parameters<typeof panelOf>): ReturnType<typeof panelOf> {
  const panel = panelOf(...about);
  panel.said.fire(ready);
  return panel;
}

/** What the page was told last under this name. */
const told = (posted: readonly ToPage[], name: string): unknown =>
  posted.findLast(message => message.kind === 'event' && message.name === name)?.payload;

describe('a chat page that begins', () => {
  it('has the cursor in an editor, but in a view only when the person went there', async () => {
    const it = await scene();
    const asked = panelOf(it, 'view');
    asked.panel.reveal();
    asked.said.fire(ready);
    assert.deepEqual(
      [begun(it), begun(it, 'view'), asked].map(({ posted }) => (told(posted, 'start') as Start).focus),
      [true, false, true],
    );
  });

  it('opens find at what it was opened for, and nothing else takes the cursor', async () => {
    const { panel, said, posted } = panelOf(await scene());
    const wanted = { words: 'mended', key: 'message:a' };
    panel.find(wanted);
    assert.equal(told(posted, 'find'), undefined);
    said.fire(ready);
    assert.deepEqual(told(posted, 'find'), wanted);
    assert.equal((told(posted, 'start') as Start).focus, false);
    // A page that is built anew has nothing to find.
    posted.length = 0;
    said.fire(ready);
    assert.equal(told(posted, 'find'), undefined);
  });

  it('in the place of one that was just sent from does not show the message as a draft', async () => {
    const it = await scene();
    const { said, posted, heard } = begun(it);
    said.fire({ name: 'draft', params: { text: 'Only once', seen: 0, version: 1 } });
    const params = { text: 'Only once', seen: 0, sendId: 'an-id-of-a-send' };
    said.fire({ id: 1, name: 'send', params });
    // VS Code puts the page away and makes another before the send is recorded.
    said.fire(ready);
    await until(heard, () => posted.some(({ kind, id }) => kind === 'answer' && id === 1));
    await until(heard, () => posted.some(({ name }) => name === 'setDraft'));
    assert.equal((told(posted, 'setDraft') as { readonly text: string }).text, '');
  });

  it('with what the one before it still held hears when that is stored', async () => {
    const it = await scene();
    const { said, posted, heard } = begun(it);
    said.fire({ name: 'draft', params: { text: 'Half a', seen: 0, version: 3 } });
    said.fire(ready);
    said.fire({ name: 'unsaved', params: { text: 'Half a thought' } });
    await until(heard, () => told(posted, 'draftStored') !== undefined);
    assert.deepEqual(told(posted, 'draftStored'), { version: 0 }, 'before its first word');
  });

  it('in the place of one that was being sent from takes up what was written meanwhile', async () => {
    const it = await scene();
    const { conversation } = it.window;
    const { said } = begun(it);
    said.fire({ name: 'draft', params: { text: 'One', seen: 0, version: 1 } });
    const settled = new Promise(resolve => conversation.onDidSettle(resolve));
    const send = { text: 'One', sendId: 'an-id-of-a-send' };
    said.fire({ id: 1, name: 'send', params: { ...send, seen: 0 } });
    said.fire(ready);
    said.fire({ id: 2, name: 'unsaved', params: { ...send, at: Date.now(), next: 'Two' } });
    await settled;
    await until(conversation.onDidChange, () => conversation.composition.draft.text !== '');
    assert.deepEqual(
      [conversation.composition.draft.text, posts(it).map(({ body }) => body)],
      ['Two', [{ text: 'One' }]],
    );
  });

  it('keeps what is being written when an earlier message is sent again', async () => {
    const it = await scene();
    const { conversation } = it.window;
    const { said, posted, heard } = begun(it);
    said.fire({ name: 'draft', params: { text: 'Half a thought', seen: 0, version: 1 } });
    const sent = new Promise(resolve => conversation.onDidSettle(resolve));
    const params = { text: 'Sent before', seen: 0, sendId: 'an-id-of-a-send' };
    said.fire({ id: 1, name: 'send', params });
    await sent;
    assert.deepEqual(
      [conversation.composition.draft.text, posts(it).map(({ body }) => body)],
      ['Half a thought', [{ text: 'Sent before' }]],
    );
    assert.equal(told(posted, 'setDraft'), undefined, 'the page has it already');
    const isAnswer = ({ kind, id }: ToPage): boolean => kind === 'answer' && id === 1;
    await until(heard, () => posted.some(isAnswer));
    const before = JSON.stringify(posted.slice(0, posted.findIndex(isAnswer)));
    assert.match(before, /"key":"send:an-id-of-a-send"/, 'the page need not show it by itself any more');
  });

  it('hears that a message has left the queue with the message in its composer', async () => {
    const it = await scene();
    const { conversation } = it.window;
    busy(it);
    await queueUp(it.window, 'Later');
    const { said, posted, heard } = begun(it);
    said.fire({ id: 1, name: 'takeBack', params: { id: conversation.queued[0]!.id } });
    await until(heard, () => told(posted, 'setDraft') !== undefined);
    assert.equal((told(posted, 'setDraft') as { readonly text: string }).text, 'Later');
    assert.deepEqual((told(posted, 'state') as PanelState).composer.queue, []);
  });

  it('has its session followed from when it listens, while its service is in use, and asked once that is', async () => {
    const it = await scene();
    let watched = 0;
    Object.assign(it.window.sessions, {
      watch: () => {
        watched++;
        return { dispose: () => watched-- };
      },
    });
    const { said, panel, state, becameReady } = panelOf(it);
    const signedIn = state.current;
    let asked = 0;
    it.window.conversation.refresh = () => {
      asked++;
      return Promise.resolve();
    };
    becameReady.fire();
    await it.window.conversation.load();
    assert.equal(watched, 0);
    said.fire(ready);
    assert.deepEqual([watched, asked], [1, 1]);
    state.set({ ...signedIn, service: { id: 'another', host: 'another' } });
    becameReady.fire();
    assert.deepEqual([watched, asked], [0, 1]);
    state.set(signedIn);
    assert.deepEqual([watched, asked], [1, 1]);
    becameReady.fire();
    assert.equal(asked, 2);
    panel.leave();
    becameReady.fire();
    assert.deepEqual([watched, asked], [0, 2]);
  });

  it('lets nobody choose among the computers of another service, and opens its own messages', async () => {
    const it = await scene();
    await sendAndRead(it.window, 'A question');
    const { ask, state, shown } = panelOf(it);
    answering({ showQuickPick: () => assert.fail('there is nothing to choose') });
    state.set({ kind: 'signedIn', service: { id: 'another', host: 'another' } });
    await assert.rejects(ask('chooseTarget', {}), /belongs to a different service/);
    const [id = ''] = it.window.conversation.transcript.known.keys();
    await ask('openMessage', { key: `message:${id}` });
    assert.match(shown[0]?.[2] ?? '', /\n### You.*\n\nA question\n$/s);
  });

  it('hears nothing of what the page before it in the same place still says', async () => {
    const it = await scene();
    await sendAndRead(it.window, 'A question');
    it.window.conversation.composition.setText('A draft');
    const { said } = panelOf(it, 'view');
    said.fire({ name: 'draft', params: { text: 'of another session', seen: 0, version: 1 } });
    said.fire(ready);
    assert.equal(it.window.conversation.composition.draft.text, 'A draft');
  });
});

describe('a message that is refused', () => {
  it('comes back into the composer beside what is written then, also where the page has not heard of it', async () => {
    const it = await scene();
    const { said, posted, heard } = panelOf(it);
    const { conversation } = it.window;
    const { composition } = conversation;
    it.service.fail({ kind: 'status', status: 422, match: { method: 'POST' } });
    said.fire(ready);
    const write = (text: string, seen: number, version: number): void =>
      said.fire({ name: 'draft', params: { text, seen, version } });
    const back = (): string =>
      (told(posted, 'setDraft') as { readonly text?: string } | undefined)?.text ?? '';
    write('One', 0, 1);
    const settled = new Promise(resolve => conversation.onDidSettle(resolve));
    said.fire({ id: 1, name: 'send', params: { text: 'One', seen: 0, sendId: 'an-id-of-send-1' } });
    await settled;
    await until(heard, () => back() === 'One');
    // Written in the composer that the page had emptied, while it was told that the message is back.
    write('Two', 0, 2);
    await until(heard, () => back() === 'One\n\nTwo');
    write('One\n\nTwo, really', 2, 3);
    assert.equal(composition.draft.text, 'One\n\nTwo, really');
  });
});

/** A page whose person takes every offer; what they were told. */
function taking(it: Scene) {
  const told: string[] = [];
  answering({
    showInformationMessage: (message: string, offer: string) => {
      told.push(message);
      return Promise.resolve(offer);
    },
    showErrorMessage: (message: string) => assert.fail(message),
  });
  return { ...panelOf(it), told };
}

describe('what a page tells before the stored draft was read', () => {
  it('comes after what is stored: no attachment and no text is lost', async () => {
    const it = await scene();
    const { window, client, root, sessionId } = it;
    const folder = temporaryFolder();
    const [a, b] = [writeFile(folder, 'a.ts', 'a'), writeFile(folder, 'b.ts', 'b')];
    await window.conversation.composition.attach([a]);
    window.conversation.composition.setText('Written yesterday');
    await window.conversation.flush();
    const later = await openWindow({ root, client, sessionId, unread: true });
    const { said, ask } = panelOf({ ...it, window: later });
    const attached = ask('attachUris', { uris: [b] });
    said.fire({
      name: 'draft',
      params: { text: 'Quick,', seen: 0, version: 1 },
    });
    said.fire({ name: 'draft', params: { text: 'Quick, before it loads', seen: 0, version: 2 } });
    await attached;
    await later.conversation.load();
    const { text, attachments } = later.conversation.composition.draft;
    assert.equal(text, 'Written yesterday\n\nQuick, before it loads');
    assert.deepEqual(
      attachments.map(({ uri }) => uri),
      [a, b],
    );
  });
});

describe('a message that was thrown away', () => {
  it('comes back with its files and the computer it was to go to, whatever was chosen and written since', async () => {
    const it = await scene();
    const { conversation } = it.window;
    const { composition } = conversation;
    const [computer] = (await it.client.list('computers')).items;
    const target = { computerId: computer!.id, name: computer!.name! };
    const file = writeFile(temporaryFolder(), 'a.ts', 'a');
    await composition.attach([file]);
    composition.setTarget(target);
    it.service.fail({ kind: 'reset', match: { method: 'POST' }, times: 1 });
    await sendAndRead(it.window, 'Did it arrive?');
    composition.setTarget(undefined);
    busy(it);
    await queueUp(it.window, 'Next');
    composition.setText('Since');
    const { ask, told } = taking(it);
    await ask('discard', { id: conversation.sends[0]!.id });
    await until(conversation.onDidChange, () => composition.draft.text !== 'Since');
    const { text, attachments, target: to } = composition.draft;
    assert.deepEqual(
      [text, attachments.map(({ uri }) => uri), to],
      ['Since\n\nDid it arrive?', [file], target],
    );
    await ask('discard', { id: conversation.queued[0]!.id });
    await until(conversation.onDidChange, () => composition.draft.text.endsWith('Next'));
    assert.equal(composition.draft.target, undefined);
    assert.deepEqual([conversation.sends, conversation.queued], [[], []]);
    assert.deepEqual(told, ['Message discarded.', 'Message discarded.']);
  });
});
