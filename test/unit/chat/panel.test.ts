import assert from 'node:assert/strict';
import { mock } from 'node:test';
import * as fc from 'fast-check';
import type * as vscode from 'vscode';
import { transcriptRecords } from '../../../src/chat/transcript/transcript';
import { catchUnhandled, later, temporaryFolder } from '../../fakes/cleanUp';
import { acts } from '../../fakes/vscode';
import { begunOf, chatOf, panelOf, scene, answering, attachmentsIn, until, writeFile } from './support';

const inWords = JSON.stringify;

describe('a chat page that begins', () => {
  it('has the cursor in an editor, but in a view only when the person went there, and not for what find opens', async () => {
    const it = await scene();
    const [asked, found] = [panelOf(it, 'view'), panelOf(it)];
    asked.panel.reveal();
    const wanted = { words: 'mended', key: 'message:a' };
    found.panel.find(wanted);
    for (const page of [asked, found]) page.begun();
    const focus = [begunOf(it), begunOf(it, 'view'), asked, found].map(page => page.start()?.focus);
    assert.deepEqual(focus, [true, false, true, false]);
    // A page that is built anew has nothing to find.
    found.begun();
    const finds = found.posted.filter(({ name }) => name === 'find').map(({ payload }) => payload);
    assert.deepEqual(finds, [wanted]);
  });

  it('in the place of one that was being sent from shows what was written meanwhile, and not the message', async () => {
    const it = await scene();
    const page = begunOf(it);
    page.write('One', 0, 1);
    const outcome = it.settled();
    page.send('One');
    // VS Code puts the page away and makes another before the send is recorded.
    page.begun();
    // By its own clock the page wrote it after it was sent: the id tells that it was.
    page.say('unsaved', { text: 'One', sendId: page.sendId, at: Date.now() + 60_000, next: 'Two' });
    await outcome;
    await page.until(() => page.draft() === 'Two' && page.told('draftStored') !== undefined);
    assert.deepEqual(it.sent(), ['One']);
    assert.deepEqual(page.told('draftStored'), { version: 0 }, 'of this page, before its first word');
    assert.ok(!page.posted.some(({ name, payload }) => name === 'setDraft' && /One/.test(inWords(payload))));
  });

  it('keeps what is being written when an earlier message is sent again, which has a row when it is recorded', async () => {
    const it = await scene();
    const page = begunOf(it);
    page.write('Half a thought', 0, 1);
    const outcome = it.settled();
    page.send('Sent before');
    await outcome;
    const answered = (): number => page.posted.findIndex(({ kind }) => kind === 'answer');
    await page.until(() => answered() > 0);
    assert.deepEqual([it.draft(), it.sent()], [['Half a thought'], ['Sent before']]);
    assert.equal(page.draft(), undefined, 'the page has it already');
    const before = inWords(page.posted.slice(0, answered()));
    assert.ok(before.includes(`"key":"send:${page.sendId}"`), 'the page need not show it by itself any more');
  });

  it('has its session followed from when it listens, while its service is in use, and asked once that is', async () => {
    const it = await scene();
    let asked = 0;
    it.conversation.refresh = () => Promise.resolve(asked++).then(() => undefined);
    const now = () => [it.sessions.watched.length, asked];
    const { panel, state, becameReady, ...page } = panelOf(it);
    const signedIn = state.current;
    becameReady.fire();
    await it.conversation.load();
    assert.deepEqual(now(), [0, 0]);
    page.begun();
    assert.deepEqual(now(), [1, 1]);
    state.set({ ...signedIn, service: { id: 'another', host: 'another' } });
    becameReady.fire();
    assert.deepEqual(now(), [0, 1]);
    state.set(signedIn);
    assert.deepEqual(now(), [1, 1]);
    becameReady.fire();
    assert.deepEqual(now(), [1, 2]);
    page.show(false);
    assert.deepEqual(now(), [0, 2], 'nobody sees it');
    page.show(true);
    page.begun();
    assert.deepEqual([...now(), page.isLet()], [1, 2, true]);
    panel.dispose();
    becameReady.fire();
    assert.deepEqual([...now(), page.isLet()], [0, 2, false]);
  });

  it('shows what is stored when it is refreshed, where that could not be read at first', async () => {
    const it = await scene();
    await it.send('A question');
    const again = await it.open({ unread: true });
    const stored = again.storage.collection(transcriptRecords('service1', it.sessionId));
    mock.method(stored, 'load', () => Promise.reject(new Error('busy')), { times: 1 });
    const page = begunOf(again);
    await page.until(() => page.shows()?.transcriptProblem !== undefined);
    await page.ask('refresh', {});
    await page.until(() => inWords(page.told('splice') ?? '').includes('A question'));
    assert.equal(page.shows()?.transcriptProblem, undefined);
  });

  it('lets nobody choose among the computers of another service, and opens its own messages', async () => {
    const it = await scene();
    await it.send('A question');
    it.composition.setText('A\r\ndraft');
    const { ask, state, shown, write } = panelOf(it, 'view');
    write('said by the page before it in the same place', 0, 1);
    answering({ showQuickPick: () => assert.fail('there is nothing to choose') });
    state.set({ kind: 'signedIn', service: { id: 'another', host: 'another' } });
    for (const what of ['chooseTarget', 'readEarlier'])
      await assert.rejects(ask(what, {}), /belongs to a different service/);
    const [id = ''] = it.transcript.known.keys();
    await ask('openMessage', { key: `message:${id}` });
    assert.match(shown[0]?.[2] ?? '', /\n### You.*\n\nA question\n$/s);
    assert.deepEqual(it.draft(), ['A\ndraft'], 'as a page has it, and only what its own says is heard');
  });
});

describe('what is written', () => {
  it('comes back beside what is written then when it is refused, also where the page has not heard of it', async () => {
    const it = await scene();
    const page = begunOf(it);
    it.failSend(422);
    page.write('One', 0, 1);
    page.send('One');
    await page.until(() => page.draft() === 'One');
    // Written in the composer that the page had emptied, while it was told that the message is back.
    page.write('Two', 0, 2);
    await page.until(() => page.draft() === 'One\n\nTwo');
    page.write('One\n\nTwo, really', 2, 3);
    assert.equal(it.composition.draft.text, 'One\n\nTwo, really');
  });

  it('while a message with files is being recorded stays beside what a command puts there then, and the message', async () => {
    const files = Promise.withResolvers<[]>();
    const attachments = attachmentsIn(temporaryFolder());
    attachments.parts = () => files.promise;
    const it = await scene({ attachments });
    const page = begunOf(it);
    page.write('One', 0, 1);
    page.send('One');
    it.composition.setText('One\n\nGiven');
    page.panel.showDraft();
    assert.equal(page.draft(), undefined, 'the page has not said yet what is written since');
    files.resolve([]);
    await page.until(() => page.posted.some(({ reason }) => /has changed meanwhile/.test(reason ?? '')));
    page.write('One\n\nTwo', 0, 2);
    await page.until(() => page.draft() === 'One\n\nTwo\n\nGiven');
    assert.deepEqual(it.sent(), []);
  });

  it('before the stored draft was read comes after that: no attachment and no text is lost', async () => {
    const it = await scene();
    const [a, b] = ['a.ts', 'b.ts'].map(name => writeFile(temporaryFolder(), name, name));
    await it.composition.attach([a!]);
    it.composition.setText('Written yesterday');
    await it.conversation.flush();
    const later = await it.open({ unread: true });
    const page = panelOf(later);
    const attached = page.ask('attachUris', { uris: [b] });
    page.write('Quick,', 0, 1);
    page.write('Quick, before it loads', 0, 2);
    await attached;
    await later.conversation.load();
    assert.deepEqual(later.draft(), ['Written yesterday\n\nQuick, before it loads', a, b]);
  });

  it('and thrown away comes back with its files and its computer, whatever was chosen and written since', async () => {
    const it = await scene();
    const { conversation, composition } = it;
    const file = writeFile(temporaryFolder(), 'a.ts', 'a');
    await composition.attach([file]);
    composition.setTarget(it.computer);
    it.failSend('reset');
    await it.send('Did it arrive?');
    composition.setTarget(undefined);
    it.busy();
    await it.queue('Next');
    composition.setText('Since');
    const told: string[] = [];
    answering({
      showInformationMessage: (message: string, offer: string) =>
        Promise.resolve(told.push(message) && offer),
      showErrorMessage: (message: string) => assert.fail(message),
    });
    const { ask } = panelOf(it);
    await ask('discard', { id: conversation.sends[0]!.id });
    await it.changed(() => it.draft()[0] !== 'Since');
    assert.deepEqual(it.draft(), ['Since\n\nDid it arrive?', file]);
    assert.deepEqual(composition.draft.target, it.computer);
    await ask('discard', { id: conversation.queued[0]!.id });
    await it.changed(() => composition.draft.text.endsWith('Next'));
    assert.equal(composition.draft.target, undefined);
    assert.deepEqual([conversation.sends, conversation.queued], [[], []]);
    assert.deepEqual(told, ['Message discarded.', 'Message discarded.']);
  });
});

it('a page that does not load is told of without links; a box sends over the same road, and loses nothing when it is closed or cannot', async () => {
  let isSignedIn = false;
  const it = await scene({ signedIn: () => isSignedIn });
  /** The person chooses this, and writes in the box; they close it where that is not `sent`. What they are told, and the page. */
  const missing = (choice: string, typed = '', sent = true) => {
    const told: string[] = [];
    const error = new Promise<string>(showErrorMessage => {
      const showWarningMessage = (message: string) => Promise.resolve(told.push(message) && choice);
      const showInputBox = async (box: vscode.InputBoxOptions) => {
        told.push(box.value ?? '');
        await box.validateInput?.(typed);
        return sent ? typed : undefined;
      };
      answering({ showErrorMessage, showWarningMessage, showInputBox });
    });
    mock.timers.enable({ apis: ['setTimeout'] });
    const { written } = panelOf(it, 'panel', '[x](command:evil)');
    mock.timers.tick(10_000);
    mock.timers.reset();
    return { told, error, written };
  };
  missing('Write a message', 'half a thought', false);
  await it.changed(() => it.draft()[0] === 'half a thought');
  assert.match(await missing('Write a message', 'for later').error, /Sign in/);
  assert.deepEqual([it.draft(), it.posts()], [['for later'], []]);
  isSignedIn = true;
  const outcome = it.settled();
  const { told } = missing('Write a message', 'written here');
  await outcome;
  const [warning = '', ...others] = told;
  assert.match(warning, /^(?!.*\]\().*did not load within 10 seconds/);
  assert.deepEqual([others, it.sent()], [['for later'], ['written here']]);
  it.composition.setText('two\nlines');
  missing('Write a message', 'and more', false);
  await it.changed(() => it.draft()[0] === 'two\nlines\n\nand more');
  const { written } = missing('Try again');
  await until(() => written.length === 2);
});

describe('stopping an agent', () => {
  /** A session whose agent works, in a panel; the list of sessions was asked for, as the Sessions view does. */
  async function working(lists = true, used = true) {
    const it = await scene({ lists, extras: () => used });
    const [work, page] = [it.busy(), begunOf(it)];
    await it.client.extras.sessions();
    await it.refresh();
    await page.until(() => page.shows()?.header.status.word === 'running');
    const composer = () => page.shows()?.composer;
    const stops = () => it.service.requests.filter(({ path }) => path.endsWith('/interrupt')).length;
    const isOver = () => page.until(() => composer()?.canStop === false);
    return { ...it, work, composer, stops, isOver, stop: () => page.ask('stop', {}) };
  }

  it('sends one request, asks how it stands, and keeps all that is queued back until the person decides', async () => {
    const it = await working();
    await it.queue('And then this', 'And that');
    it.work.dispose();
    await it.stop();
    assert.equal(it.stops(), 1);
    await it.isOver();
    const [first = assert.fail()] = it.conversation.queued;
    assert.match(first.sentence ?? '', /^You stopped the agent/);
    assert.equal(it.composer()?.queueNote, 'On hold: see the first message.');
    await it.conversation.discard(first.id);
    for (let times = 0; times < 2; times++) await it.refresh();
    assert.deepEqual([it.queued(), it.posts()], [['And that'], []]);
  });

  it('says why it failed, also from the row of the session, is not tried again, and goes where the service does not have it', async () => {
    for (const lists of [false, true])
      assert.equal((await working(lists, !lists)).composer()?.canStop, false, 'no list, or not to be used');
    const it = await working();
    await it.queue('And then this');
    it.failSend(500);
    await assert.rejects(it.stop(), /^Error: The agent could not be stopped\. .*500/);
    assert.equal(it.stops(), 1);
    assert.equal(it.conversation.isQueueStopped, false, 'what is queued goes on');
    assert.equal(it.composer()?.canStop, true, 'it may do better the next time');
    it.failSend(405);
    const stopped = chatOf(it).commands.stop({ kind: 'session', sessionId: it.sessionId });
    await assert.rejects(stopped as Promise<unknown>, /^Error: The agent could not be stopped\./);
    assert.equal(it.stops(), 2);
    await it.isOver();
  });
});

/** Names of nothing, of everything, and of places a page has no business in. */
const names =
  '__proto__ constructor toString ../../etc/passwd:1 file:///etc/passwd /etc/passwd:1 command:workbench.action.quit javascript:alert(1) vscode://a/b data:text/html,x';
const word = fc.oneof(fc.string(), fc.constantFrom(...names.split(' '), '', 'a'.repeat(20_000)));
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(-1, 0, 1, Infinity, NaN, 2 ** 60));
const keyed = fc.tuple(word, fc.nat(100)).map(each => each.join('\n'));
const noId = word.filter(id => !/^[\w-]{8,64}$/.test(id));
const about = (list: string, shape: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ name: fc.constantFrom(...list.split(' ')), params: fc.record(shape) });
/** In the right shape, about what is not there; nothing that a panel does on a person's word. */
const nothingThere = fc.oneof(
  about('send', { text: word, seen: number, sendId: noId }),
  about('send', { text: fc.constant(' '), seen: number, sendId: fc.constant('an-id-of-a-send') }),
  about('sendAgain discard takeBack', { id: word }),
  about('detach openAttachment', { key: word }),
  about('picture', { key: fc.oneof(word, keyed) }),
  about('openPath', { path: word }),
  about('openLink', { href: word.filter(href => !/^\s*(https?|mailto):/i.test(href)) }),
  about('kept', { opened: fc.array(word), scroll: fc.record({ key: word, offset: number }) }),
);

it('a page that says 10,000 things of what is not there makes the panel of a real session throw nothing, run nothing, ask nothing and lose nothing', async () => {
  const it = await scene();
  const { conversation, composition } = it;
  await it.send('A question');
  it.failSend('reset');
  await it.send('Did it arrive?');
  it.busy();
  await it.queue('Later');
  await composition.attach([writeFile(temporaryFolder(), 'a.ts', 'a')]);
  composition.setText('Half a thought');
  await conversation.flush();
  await conversation.readOn();

  const { said, posted, log, ...page } = begunOf(it);
  const unhandled = catchUnhandled();
  later(() => unhandled.dispose());
  const held = () => ({
    ...{ draft: composition.draft, sends: conversation.sends, queued: conversation.queued },
    ...{ known: [...it.transcript.known.values()], asked: it.service.requests.length },
  });
  const before = structuredClone(held());
  assert.deepEqual([before.sends.length, before.queued.length, before.draft.attachments.length], [1, 1, 1]);
  acts.length = 0;

  const asked: unknown[] = [];
  fc.assert(
    fc.property(nothingThere, fc.option(fc.nat()), ({ name, params }, id) => {
      if (id !== null) asked.push(id);
      said.fire({ name, params, ...(id === null ? {} : { id }) });
    }),
    { numRuns: 10_000 },
  );
  const answers = () => posted.filter(({ kind }) => kind === 'answer' || kind === 'refusal');
  await page.until(() => answers().length >= asked.length);
  await conversation.flush();

  const ids = answers().flatMap(({ id }) => id);
  assert.deepEqual(ids.sort(), asked.sort());
  assert.deepEqual([unhandled.errors, acts], [[], []]);
  assert.deepEqual(held(), before);
  assert.ok(log.lines.length < 100, 'the log is not flooded');
});
