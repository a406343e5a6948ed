import assert from 'node:assert/strict';
import fc from 'fast-check';
import type * as vscode from 'vscode';
import { blockOf, Comments, linesOf, placeOf } from '../../../src/changes/comments';
import { uriOf } from '../../../src/changes/show';
import { standings } from '../../../src/chat';
import { reportFailure } from '../../../src/console';
import { EMPTY, joined, outboxRecords, type Entry, type OutboxRecord } from '../../../src/chat/outbox/record';
import { silentLog } from '../../fakes/log';
import { choices, controllers, executed, Range, told, Uri } from '../../fakes/vscode';
import type { Collection, Storage } from '../../../src/storage';
import { later } from '../../fakes/cleanUp';
import { openWindow, temporaryFolder, until } from '../storage/support';

const [OLD, NEW] = ['a'.repeat(40), 'b'.repeat(40)];
const FILE = { root: '/home/ann/shop', commit: OLD, path: 'src/refund.ts' };
const MINE = { ...FILE, sessionId: 's1' };
const NEWER = { ...MINE, commit: NEW };
const ANOTHERS = { ...NEWER, sessionId: 'other' };
const TEXT = ['one', 'two', 'three ```` ticks', '}', 'five', '}'].join('\n');

describe('comments on what an agent changed', () => {
  let files: Map<string, string>;
  let root: string;
  let window: Storage;
  let outboxes: Collection<OutboxRecord>;
  beforeEach(() => {
    files = new Map([[OLD, TEXT]]);
    for (const list of [choices, controllers, executed]) list.length = 0;
    root = temporaryFolder();
    window = openWindow(root);
    outboxes = window.collection(outboxRecords('service1'));
  });

  /** The comments of a window; without `storage` as the first window has it. */
  function open({ storage = window, serviceId = 'service1' } = {}): Comments {
    const comments = new Comments({
      ...{ storage, log: silentLog() },
      sessions: {
        serviceId,
        get: id => ({ sessionId: id, title: `Session ${id}`, lastAt: 0, isArchived: false }),
      },
      messages: id => standings(storage, id),
      prefill: async ({ sessionId, text }) => {
        assert.equal(sessionId, 's1');
        await setText(joined(draft(), text));
      },
      readFile: ({ commit }) => Promise.resolve(Buffer.from(files.get(commit) ?? '')),
    });
    later(() => comments.dispose());
    return comments;
  }

  async function write(comments: Comments, words: string, first: number, last = first, more = {}) {
    const uri = uriOf({ ...MINE, ...more });
    const thread = controllers.at(-1)!.createCommentThread(uri, new Range(first, 0, last, 0) as never, []);
    Object.assign(thread, { collapsibleState: 1 });
    await comments.add({ thread, text: words });
    assert.equal(thread.comments.length, 1, 'it is the thread that was begun');
  }

  const bodyOf = ({ comments: [comment] }: vscode.CommentThread) => comment?.body as vscode.MarkdownString;
  /** Threads by what was written in them. */
  const seen = (controller = controllers.at(-1)!): Readonly<Record<string, vscode.CommentThread>> =>
    Object.fromEntries(
      [...controller.threads].map(each => [bodyOf(each).value.replace(/\u200b/g, ''), each]),
    );
  const labels = (): Readonly<Record<string, string | undefined>> =>
    Object.fromEntries(Object.entries(seen()).map(([words, { comments }]) => [words, comments[0]?.label]));
  const labelIs = (words: string, label: string): Promise<void> => until(() => labels()[words] === label);
  const draft = (): string => outboxes.get('s1')?.draft.text ?? '';
  const keep = (outbox: Partial<OutboxRecord>) => outboxes.put('s1', { ...EMPTY, ...outbox });
  const setText = (text: string): Promise<void> => keep({ draft: { text, attachments: [] } });

  it('can be written on the newer side of what was shown, for the session it is of', async () => {
    const comments = open();
    comments.load();
    assert.deepEqual(controllers, [], 'nothing is made before something is shown');
    comments.show('s1', MINE);
    const ranges = (uri: vscode.Uri): unknown => {
      const { commentingRangeProvider } = controllers.at(-1)!;
      return commentingRangeProvider?.provideCommentingRanges({ uri, lineCount: 6 } as never, {} as never);
    };
    assert.deepEqual(ranges(uriOf(MINE)), [new Range(0, 0, 5, 0)]);
    assert.equal(ranges(uriOf(FILE)), undefined);
    assert.equal(ranges(Uri.file('/src/refund.ts') as unknown as vscode.Uri), undefined);
    await write(comments, 'Why?', 1);
    await comments.send(undefined);
    assert.match(draft(), /Why\?$/);
    await write(comments, 'Of this service', 1);
    const other = open({ serviceId: 'service2' });
    await assert.rejects(other.send('s1'), /no comments to send/);
    // One that cannot be kept stays in its box, which VS Code empties when the command succeeds.
    const failure = [silentLog() as never, 'agentConsole.changes.comment', new Error('Full.'), []] as const;
    assert.throws(() => reportFailure(...failure), { message: 'Full.' });
    assert.equal(told.pop(), 'Full.');
  });

  it('are drafts over a reload and in other windows, as plain text, until they are removed', async () => {
    const comments = open();
    comments.show('s1', MINE);
    await write(comments, '[x](command:y)', 1, 2);
    const storage = openWindow(root);
    open({ storage }).showAgain('s1', MINE);
    await until(() => controllers.length === 2 && controllers[1]!.threads.size === 1);
    for (const controller of controllers) {
      const [thread] = Object.values(seen(controller));
      const place = { range: new Range(1, 0, 2, 0), canReply: false, collapsibleState: 1, state: 0 };
      const words = { label: 'Session s1', contextValue: 'draft' };
      const comment = { label: 'draft', contextValue: 'draft' };
      assert.partialDeepStrictEqual(thread, { ...place, ...words, comments: [comment] });
      assert.ok(!bodyOf(thread!).isTrusted);
    }
    assert.ok(executed.includes('setContext agentConsole.draftComments true'));
    await comments.remove(Object.values(seen(controllers[0]))[0]!.comments[0]);
    await until(() => controllers.every(({ threads }) => threads.size === 0));
    assert.equal(executed.at(-1), 'setContext agentConsole.draftComments false');
    await assert.rejects(comments.send('s1'), /no comments to send/);
  });

  it('say how far they have come, and are drafts again where the person takes them out', async () => {
    const comments = open();
    comments.show('s1', MINE);
    await write(comments, 'Fix this', 1);
    const thread = seen()['Fix this']!;
    await comments.send(thread);
    assert.deepEqual(labels(), { 'Fix this': 'in the composer' });
    await setText('Never mind.');
    await labelIs('Fix this', 'draft');
    await setText('');
    await comments.send(uriOf(MINE));
    const { draft: written } = outboxes.get('s1')!;
    const sending = (state: Entry['state']) => ({ entries: [{ id: 'message1', ...written, at: 1, state }] });
    for (const [label, outbox] of [
      ['refused', { draft: { ...written, problem: 'No.' } }],
      ['waiting', sending('queued')],
      ['sending', sending('sending')],
      ['not known', sending('unknown')],
      ['sent', sending('accepted')],
    ] as const) {
      await keep(outbox);
      await labelIs('Fix this', label);
      assert.equal(thread.collapsibleState, label === 'sent' ? 0 : 1);
    }
    assert.deepEqual([thread.state, thread.contextValue], [1, 'sent']);
    await assert.rejects(comments.send(undefined), /no comments to send/);
    await outboxes.remove('s1');
    open().show('s1', MINE);
    await labelIs('Fix this', 'sent');
  });

  it('go where their lines are in a newer version, or stay and say that those have changed; and into the composer as one message', async () => {
    const comments = open();
    comments.show('other', ANOTHERS);
    await write(comments, 'Another’s', 0, 0, ANOTHERS);
    comments.show('s1', MINE);
    await write(comments, 'Same', 0);
    await write(comments, 'Moved', 4);
    await write(comments, 'Gone', 1);
    await write(comments, 'Ambiguous', 3);
    files.set(NEW, ['one', '2', 'new', '3', 'x', 'five', '}', '}'].join('\r\n'));
    comments.show('s1', NEWER);
    const at = (): string[] =>
      Object.entries(seen()).map(([words, { label, range, uri }]) =>
        [words, range!.start.line, uri.query.includes(NEW), label?.split(' · ')[1]].join(),
      );
    await until(() => /moved/.test(seen()['Moved']?.label ?? ''));
    const changed = ['Gone,1', 'Ambiguous,3'].map(each => `${each},false,its lines have changed since`);
    const wanted = ['Same,0,true,', 'Moved,5,true,moved from line 5', 'Another’s,0,true,', ...changed];
    assert.deepEqual(new Set(at()), new Set(wanted));
    choices.push('Session s1');
    await comments.send(undefined);
    await assert.rejects(comments.send('s1'), /no comments to send/);
    const [first, ...others] = draft().split(/\n\n(?=Comment)/);
    assert.match(
      first!,
      /^Comment [\da-f]{8} on `src\/refund\.ts`, line 1 \(commit b{10}\):\n\n```ts\none\n```\n\nSame$/,
    );
    const places = others.map(each => /line \d+ \(commit ./.exec(each)?.[0]);
    assert.deepEqual(places, ['line 2 (commit a', 'line 4 (commit a', 'line 6 (commit b']);
    assert.deepEqual(labels(), {
      ...{ 'Another’s': 'draft', Same: 'in the composer', Moved: 'in the composer' },
      ...{ Gone: 'in the composer', Ambiguous: 'in the composer' },
    });
  });

  it('are at the place of the lines that were quoted, the same one, or else the only one that says the same', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', '}'), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, fc.nat(11), fc.integer({ min: 1, max: 3 }), (before, now, from, count) => {
        const line = from % before.length;
        const quoted = before.slice(line, line + count);
        const isAt = (at: number): boolean => String(now.slice(at, at + quoted.length)) === String(quoted);
        const all = [...now.keys()].filter(isAt);
        const expected = all.includes(line) ? line : all.length === 1 ? all[0] : undefined;
        assert.equal(placeOf(quoted, line, now), expected);
      }),
    );
  });

  it('end their code where the code ends, whatever that is', () => {
    const text = fc.string({ unit: fc.constantFrom('`', '~', '\n', ' ', 'a', '](command:x)') });
    fc.assert(
      fc.property(text, text, (code, name) => {
        const quoted = [...linesOf(code)];
        const where = {
          id: '01234567-89',
          sessionId: 's',
          repository: '/r',
          path: `${name}.ts`,
          commit: OLD,
        };
        const comment = { ...where, line: 4, count: quoted.length, quoted, words: 'Words', at: 0 };
        const [head = '', , fence = '', ...rest] = blockOf(comment, { commit: OLD, line: 4 }).split('\n');
        assert.match(head, /^Comment 01234567 on (`+).*[^`]\1, lines? 5/);
        assert.equal(rest.indexOf(fence.replace('ts', '')), quoted.length);
      }),
    );
  });
});
