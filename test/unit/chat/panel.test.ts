import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type * as vscode from 'vscode';
import { chatOf, panelOf, type ToPage } from './panelScene';
import { busy, posts, queued, queueUp, scene, sendAndRead, sent, type Scene } from './scene';
import { answering, cleanUp, openWindow, temporaryFolder, until, writeFile } from './support';

afterEach(cleanUp);

/** A panel whose page listens. */
function begun(...about: Parameters<typeof panelOf>): ReturnType<typeof panelOf> {
  const panel = panelOf(...about);
  panel.begun();
  return panel;
}

/** Resolves when a message of this window has its outcome. */
const settled = ({ window }: Scene): Promise<unknown> =>
  new Promise(resolve => window.conversation.onDidSettle(resolve));

describe('a chat page that begins', () => {
  it('has the cursor in an editor, but in a view only when the person went there', async () => {
    const it = await scene();
    const asked = panelOf(it, 'view');
    asked.panel.reveal();
    asked.begun();
    const pages = [begun(it), begun(it, 'view'), asked];
    assert.deepEqual(
      pages.map(page => page.start()?.focus),
      [true, false, true],
    );
  });

  it('opens find at what it was opened for, and nothing else takes the cursor', async () => {
    const page = panelOf(await scene());
    const wanted = { words: 'mended', key: 'message:a' };
    page.panel.find(wanted);
    assert.equal(page.told('find'), undefined);
    page.begun();
    assert.deepEqual(page.told('find'), wanted);
    assert.equal(page.start()?.focus, false);
    // A page that is built anew has nothing to find.
    page.posted.length = 0;
    page.begun();
    assert.equal(page.told('find'), undefined);
  });

  it('in the place of one that was just sent from does not show the message as a draft', async () => {
    const page = begun(await scene());
    page.write('Only once', 0, 1);
    page.send('Only once');
    // VS Code puts the page away and makes another before the send is recorded.
    page.begun();
    await until(page.heard, () => page.posted.some(({ kind, id }) => kind === 'answer' && id === 1));
    await until(page.heard, () => page.draft() !== undefined);
    assert.equal(page.draft(), '');
  });

  it('with what the one before it still held hears when that is stored', async () => {
    const page = begun(await scene());
    page.write('Half a', 0, 3);
    page.begun();
    page.said.fire({ name: 'unsaved', params: { text: 'Half a thought' } });
    await until(page.heard, () => page.told('draftStored') !== undefined);
    assert.deepEqual(page.told('draftStored'), { version: 0 }, 'before its first word');
  });

  it('in the place of one that was being sent from takes up what was written meanwhile', async () => {
    const it = await scene();
    const { conversation } = it.window;
    const page = begun(it);
    page.write('One', 0, 1);
    const outcome = settled(it);
    page.send('One', 'an-id-of-a-send');
    page.begun();
    const unsaved = { text: 'One', sendId: 'an-id-of-a-send', at: Date.now(), next: 'Two' };
    page.said.fire({ id: 2, name: 'unsaved', params: unsaved });
    await outcome;
    await until(conversation.onDidChange, () => conversation.composition.draft.text !== '');
    assert.deepEqual([conversation.composition.draft.text, sent(it)], ['Two', ['One']]);
  });

  it('keeps what is being written when an earlier message is sent again', async () => {
    const it = await scene();
    const { posted, ...page } = begun(it);
    page.write('Half a thought', 0, 1);
    const outcome = settled(it);
    page.send('Sent before', 'an-id-of-a-send');
    await outcome;
    assert.deepEqual(
      [it.window.conversation.composition.draft.text, sent(it)],
      ['Half a thought', ['Sent before']],
    );
    assert.equal(page.draft(), undefined, 'the page has it already');
    const isAnswer = ({ kind, id }: ToPage): boolean => kind === 'answer' && id === 1;
    await until(page.heard, () => posted.some(isAnswer));
    const before = JSON.stringify(posted.slice(0, posted.findIndex(isAnswer)));
    assert.match(before, /"key":"send:an-id-of-a-send"/, 'the page need not show it by itself any more');
  });

  it('hears that a message has left the queue with the message in its composer', async () => {
    const it = await scene();
    busy(it);
    await queueUp(it.window, 'Later');
    const page = begun(it);
    const [{ id } = assert.fail()] = it.window.conversation.queued;
    page.said.fire({ id: 1, name: 'takeBack', params: { id } });
    await until(page.heard, () => page.draft() !== undefined);
    assert.deepEqual([page.draft(), page.shows()?.composer.queue], ['Later', []]);
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
    const { panel, state, becameReady, ...page } = panelOf(it);
    const signedIn = state.current;
    let asked = 0;
    it.window.conversation.refresh = () => {
      asked++;
      return Promise.resolve();
    };
    becameReady.fire();
    await it.window.conversation.load();
    assert.equal(watched, 0);
    page.begun();
    assert.deepEqual([watched, asked], [1, 1]);
    state.set({ ...signedIn, service: { id: 'another', host: 'another' } });
    becameReady.fire();
    assert.deepEqual([watched, asked], [0, 1]);
    state.set(signedIn);
    assert.deepEqual([watched, asked], [1, 1]);
    becameReady.fire();
    assert.equal(asked, 2);
    page.show(false);
    assert.equal(watched, 0, 'nobody sees it');
    page.show(true);
    page.begun();
    assert.deepEqual([watched, page.isLet()], [1, true]);
    panel.dispose();
    becameReady.fire();
    assert.deepEqual([watched, asked, page.isLet()], [0, 2, false]);
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
    const page = panelOf(it, 'view');
    page.write('of another session', 0, 1);
    page.begun();
    assert.equal(it.window.conversation.composition.draft.text, 'A draft');
  });
});

describe('what is written', () => {
  it('comes back beside what is written then when it is refused, also where the page has not heard of it', async () => {
    const it = await scene();
    const page = begun(it);
    it.service.fail({ kind: 'status', status: 422, match: { method: 'POST' } });
    page.write('One', 0, 1);
    const outcome = settled(it);
    page.send('One');
    await outcome;
    await until(page.heard, () => page.draft() === 'One');
    // Written in the composer that the page had emptied, while it was told that the message is back.
    page.write('Two', 0, 2);
    await until(page.heard, () => page.draft() === 'One\n\nTwo');
    page.write('One\n\nTwo, really', 2, 3);
    assert.equal(it.window.conversation.composition.draft.text, 'One\n\nTwo, really');
  });

  it('before the stored draft was read comes after that: no attachment and no text is lost', async () => {
    const it = await scene();
    const { window, client, root, sessionId } = it;
    const folder = temporaryFolder();
    const [a, b] = [writeFile(folder, 'a.ts', 'a'), writeFile(folder, 'b.ts', 'b')];
    await window.conversation.composition.attach([a]);
    window.conversation.composition.setText('Written yesterday');
    await window.conversation.flush();
    const later = await openWindow({ root, client, sessionId, unread: true });
    const page = panelOf({ ...it, window: later });
    const attached = page.ask('attachUris', { uris: [b] });
    page.write('Quick,', 0, 1);
    page.write('Quick, before it loads', 0, 2);
    await attached;
    await later.conversation.load();
    const { text, attachments } = later.conversation.composition.draft;
    assert.deepEqual(
      [text, attachments.map(({ uri }) => uri)],
      ['Written yesterday\n\nQuick, before it loads', [a, b]],
    );
  });

  it('and thrown away comes back with its files and its computer, whatever was chosen and written since', async () => {
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
    const told: string[] = [];
    answering({
      showInformationMessage: (message: string, offer: string) => {
        told.push(message);
        return Promise.resolve(offer);
      },
      showErrorMessage: (message: string) => assert.fail(message),
    });
    const { ask } = panelOf(it);
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

describe('a page that does not load', () => {
  /** The person chooses `choice` and writes `text`; without a text the box is closed after `typed`. What they are told. */
  function missing(it: Scene, choice: string, text?: string, typed = text) {
    const told: string[] = [];
    const error = new Promise<string>(showErrorMessage => {
      answering({
        showErrorMessage,
        showWarningMessage: (message: string) => {
          told.push(message);
          return Promise.resolve(choice);
        },
        showInputBox: async (options: vscode.InputBoxOptions) => {
          told.push(options.value ?? '');
          await options.validateInput?.(typed ?? '');
          return text;
        },
      });
    });
    mock.timers.enable({ apis: ['setTimeout'] });
    const { written } = panelOf(it, 'panel', '[x](command:evil)');
    mock.timers.tick(10_000);
    mock.timers.reset();
    return { told, error, written };
  }

  it('is told of without links, and an input box sends over the same road', async () => {
    const it = await scene();
    it.window.conversation.composition.setText('begun');
    const outcome = settled(it);
    const { told } = missing(it, 'Write a message', 'written here');
    await outcome;
    const [warning = '', ...others] = told;
    assert.match(warning, /did not load within 10 seconds/);
    assert.ok(!warning.includes(']('));
    assert.deepEqual([others, posts(it).map(({ body }) => body)], [['begun'], [{ text: 'written here' }]]);
  });

  it('loses nothing when that box is closed or it cannot be sent, and is loaded again', async () => {
    const it = await scene({ signedIn: () => false });
    const { conversation } = it.window;
    missing(it, 'Write a message', undefined, 'half a thought');
    await until(conversation.onDidChange, () => conversation.composition.draft.text === 'half a thought');
    assert.match(await missing(it, 'Write a message', 'for later').error, /Sign in/);
    assert.equal(conversation.composition.draft.text, 'for later');
    const { written } = missing(it, 'Try again');
    await until(() => written.length === 2);
    assert.equal(posts(it).length, 0);
  });
});

describe('stopping an agent', () => {
  /** A session whose agent works, in a panel; the list of sessions was asked for, as the Sessions view does. */
  async function working(lists = true, used = true) {
    const it = await scene({ lists, extras: () => used });
    const work = busy(it);
    await it.client.extras.sessions();
    const { heard, ask, shows } = begun(it);
    await it.window.sessions.refresh(it.sessionId);
    await until(heard, () => shows()?.header.status.word === 'running');
    return {
      ...{ ...it, heard, work },
      stop: () => ask('stop', {}),
      stops: () => it.service.requests.filter(({ path }) => path.endsWith('/interrupt')).length,
      composer: () => shows()?.composer,
      hasButton: () => shows()?.composer.canStop,
    };
  }

  it('is offered while it works, sends one request, asks how it stands, and keeps what is queued back', async () => {
    const it = await working();
    const { conversation, sessions } = it.window;
    await queueUp(it.window, 'And then this', 'And that');
    assert.equal(it.hasButton(), true);
    it.work.rest();
    await it.stop();
    assert.equal(it.stops(), 1);
    await until(it.heard, () => it.hasButton() === false);
    assert.match(conversation.queued[0]?.sentence ?? '', /^You stopped the agent/);
    assert.equal(it.composer()?.queueNote, 'On hold: see the first message.');
    await conversation.discard(conversation.queued[0]!.id);
    await sessions.refresh(it.sessionId);
    await sessions.refresh(it.sessionId);
    const stillThere = [queued(it.window), posts(it)];
    assert.deepEqual(stillThere, [['And that'], []], 'the next one waits for the person, too');
  });

  it('is done from the row of the session, too, and then what is queued rests', async () => {
    const it = await working();
    await queueUp(it.window, 'And then this');
    it.work.rest();
    await chatOf(it.window, it.client).commands.stop({ kind: 'session', sessionId: it.sessionId });
    assert.equal(it.stops(), 1);
    await until(it.heard, () => /^You stopped/.test(it.window.conversation.queued[0]?.sentence ?? ''));
  });

  it('is not offered where the service has no list of sessions, or it may not be used', async () => {
    assert.equal((await working(false)).hasButton(), false);
    assert.equal((await working(true, false)).hasButton(), false);
  });

  it('says why it failed, is not tried again, and goes where it is not offered', async () => {
    const it = await working();
    await queueUp(it.window, 'And then this');
    const fault = it.service.fail({ kind: 'status', status: 500, match: { method: 'POST' } });
    await assert.rejects(it.stop(), /^Error: The agent could not be stopped\. .*500/);
    assert.equal(it.stops(), 1);
    assert.equal(it.window.conversation.isQueueStopped, false, 'what is queued goes on');
    assert.equal(it.hasButton(), true, 'it may do better the next time');
    fault.dispose();
    it.service.fail({ kind: 'status', status: 405, match: { method: 'POST' } });
    await assert.rejects(it.stop(), /^Error: The agent could not be stopped\./);
    await until(it.heard, () => it.hasButton() === false);
  });
});
