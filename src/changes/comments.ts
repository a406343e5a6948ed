import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { commentController, setContext } from '../contributions';
import type { Logger } from '../log';
import type { Collection, Storage } from '../storage';
import { pick, readSessionId } from '../ui/pick';
import { card, joined } from '../ui/text';
import { Disposable, Slot, type Event, type IDisposable } from '../util/lifecycle';
import { serially } from '../util/promises';
import { longerThanIn, oneLine } from '../util/text';
import { commentRecords, MOST_QUOTED, type CommentRecord } from './records';
import { fileAt, uriOf, type FileAt } from './show';
import type { ChangesSessions } from './work';

/** How far a comment has come: written, or in a message. */
type Standing = 'draft' | 'composer' | 'queued' | 'sending' | 'sent' | 'refused' | 'unknown';

/** Says how far the messages of a service have come. */
export interface Messages {
  /** Fires with the sessions in which something has come further. */
  readonly onDidChange: Event<readonly string[]>;
  /** How the message with this word stands; `undefined` where there is none. */
  of(sessionId: string, word: string): Promise<Exclude<Standing, 'draft'> | undefined>;
}

export interface CommentsDeps {
  readonly storage: Storage;
  readonly log: Logger;
  readonly sessions: Pick<ChangesSessions, 'serviceId' | 'get'>;
  readonly messages: (serviceId: string) => Messages;
  /** Puts a text into the composer of a session; resolves when that is durable. */
  readonly prefill: (message: { readonly sessionId: string; readonly text: string }) => Promise<unknown>;
  /** The content of a file of a commit. */
  readonly readFile: (file: FileAt) => Promise<Uint8Array>;
}

type Version = Pick<FileAt, 'root' | 'commit'>;

/** A comment as it is shown; VS Code hands it back with a command. */
interface ShownComment extends vscode.Comment {
  readonly id: string;
}

interface Known {
  readonly record: CommentRecord;
  readonly standing: Standing;
  readonly place: Place;
  /** The tip that the place was looked for in. */
  readonly tip: string;
}

interface Service {
  readonly id: string;
  readonly comments: Collection<CommentRecord>;
  readonly messages: Messages;
}

/** Comments on what agents changed: VS Code's own threads, drafts until one message takes them into the composer of their session. */
export class Comments extends Disposable {
  readonly #deps: CommentsDeps;
  readonly #controller = this.register(new Slot<vscode.CommentController>());
  readonly #following = this.register(new Slot<IDisposable>());
  readonly #known = new Map<string, Known>();
  readonly #threads = new Map<string, vscode.CommentThread>();
  /** The version of each session's work that was shown last. */
  readonly #shown = new Map<string, Version>();
  #service: Service | undefined;
  #isWaiting = false;
  /** What is looked at is not sent meanwhile, nor sent twice. */
  readonly #inTurn = serially();

  constructor(deps: CommentsDeps) {
    super();
    this.#deps = deps;
  }

  /** Takes up the comments of the service in use; does nothing where they are known. */
  load(): void {
    const { serviceId } = this.#deps.sessions;
    if (serviceId !== undefined && this.#service?.id !== serviceId) this.#inBackground(() => this.#open());
  }

  /** This version of a session's work is shown: its lines can be commented on, and its comments go where they are in it. */
  show(sessionId: string, version: Version): void {
    this.#shown.set(sessionId, version);
    this.#control();
    this.#inBackground(async () => {
      const service = await this.#open();
      await this.#lookAt(service, idsOf(service, [sessionId]));
    });
  }

  /** The same where the editor has opened it again after a reload. */
  showAgain(sessionId: string, version: Version): void {
    if (!this.#shown.has(sessionId)) this.show(sessionId, version);
  }

  /** Keeps what was written at lines of a shown version, a `CommentReply`. */
  async add(target: unknown): Promise<void> {
    const { thread, text } = target as vscode.CommentReply;
    const file = fileAt(thread.uri);
    if (file?.sessionId === undefined || thread.range === undefined) return;
    const { start, end } = thread.range;
    const count = end.line - start.line + 1;
    const lines = await this.#linesOf(file);
    const { root: repository, path, commit, sessionId } = file;
    const quoted = lines.slice(start.line, start.line + Math.min(count, MOST_QUOTED));
    const at = { repository, path, commit, line: start.line, count, quoted, at: Date.now() };
    const id = randomUUID();
    await this.#inTurn(async () => {
      const service = await this.#open();
      await service.comments.put(id, { id, sessionId, words: text, ...at });
      this.#threads.set(id, thread);
      await this.#lookAt(service, [id]);
    });
  }

  /** Forgets a comment as it was shown; what is in a message stays there. */
  async remove(target: unknown): Promise<void> {
    const { id } = target as ShownComment;
    await this.#inTurn(async () => (await this.#open()).comments.remove(id));
  }

  /** Puts all drafts of a session into its composer as one message: of a row, a thread or a document, or else one that is asked for. */
  async send(target: unknown): Promise<void> {
    await this.#inTurn(() => this.#open());
    const chosen = readSessionId(target) ?? this.#sessionOf(target) ?? (await this.#pick());
    if (chosen === undefined && this.#drafts.length > 0) return;
    await this.#inTurn(async () => {
      const service = await this.#open();
      const drafts = this.#drafts.filter(({ record }) => record.sessionId === chosen);
      if (chosen === undefined || drafts.length === 0)
        throw new Error(vscode.l10n.t('There are no comments to send.'));
      drafts.sort((a, b) => a.record.path.localeCompare(b.record.path) || a.place.line - b.place.line);
      const text = drafts.map(({ record, place }) => blockOf(record, place)).join('\n\n');
      await this.#deps.prefill({ sessionId: chosen, text });
      await this.#lookAt(service, idsOf(service, [chosen]));
    });
  }

  get #drafts(): Known[] {
    return [...this.#known.values()].filter(({ standing }) => standing === 'draft');
  }

  #sessionOf(target: unknown): string | undefined {
    if (target instanceof vscode.Uri) return fileAt(target)?.sessionId;
    const [first] = (target as Partial<vscode.CommentThread> | undefined)?.comments ?? [];
    return first && this.#service?.comments.get((first as ShownComment).id)?.sessionId;
  }

  async #pick(): Promise<string | undefined> {
    const bySession = Map.groupBy(this.#drafts, ({ record }) => record.sessionId);
    const choices = [...bySession].map(([value, { length }]) => ({
      label: this.#titleOf(value),
      description: length === 1 ? vscode.l10n.t('1 comment') : vscode.l10n.t('{0} comments', length),
      value,
    }));
    if (choices.length < 2) return choices[0]?.value;
    return pick(choices, vscode.l10n.t('Send comments to which session?'));
  }

  #titleOf(sessionId: string): string {
    return this.#deps.sessions.get(sessionId)?.title ?? sessionId;
  }

  /** The comments of the service in use, all of them looked at. */
  async #open(): Promise<Service> {
    const { sessions, storage, messages } = this.#deps;
    const { serviceId: id } = sessions;
    if (id === undefined) throw new Error(vscode.l10n.t('Sign in first.'));
    if (this.#service?.id === id) return this.#service;
    for (const known of [...this.#known.keys()]) this.#forget(known);
    const service = { id, comments: storage.collection(commentRecords(id)), messages: messages(id) };
    await service.comments.load();
    this.#service = service;
    const look = (ids: readonly string[]): void => this.#inBackground(() => this.#lookAt(service, ids));
    this.#following.set(
      vscode.Disposable.from(
        service.comments.onDidChange(look),
        service.messages.onDidChange(ids => look(idsOf(service, ids))),
      ),
    );
    await this.#lookAt(service, [...service.comments.values.keys()]);
    return service;
  }

  async #lookAt(service: Service, ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#look(service, id);
    const isWaiting = this.#drafts.length > 0;
    if (isWaiting !== this.#isWaiting) setContext('agentConsole.draftComments', isWaiting);
    this.#isWaiting = isWaiting;
  }

  /** Finds out how a comment stands and where, and shows that. */
  async #look(service: Service, id: string): Promise<void> {
    if (this.#service !== service) return;
    const record = service.comments.get(id);
    if (record === undefined) {
      this.#forget(id);
      return;
    }
    const { sessionId, repository, commit, sent } = record;
    const found = sent === true ? 'sent' : await service.messages.of(sessionId, markOf(record));
    if (found === 'sent' && sent !== true)
      await service.comments.update(id, now => now && { ...now, sent: true });
    const shown = this.#shown.get(sessionId);
    const isShown = shown?.root === repository;
    const before = this.#known.get(id);
    const placed = await this.#placed(record, isShown ? shown.commit : commit);
    const now = { record, standing: found ?? 'draft', ...placed } as const;
    this.#known.set(id, now);
    const isSame = this.#threads.has(id) && before?.standing === now.standing && before.place === now.place;
    if (isShown && !isSame && !this.isDisposed) this.#draw(now);
  }

  /** Where a comment is in a version. */
  async #placed(record: CommentRecord, tip: string): Promise<Pick<Known, 'place' | 'tip'>> {
    const { id, repository: root, path, commit, line: before, quoted } = record;
    const known = this.#known.get(id);
    if (known?.tip === tip) return { place: known.place, tip };
    const own = { commit, line: before };
    if (tip === commit) return { place: own, tip };
    const line = placeOf(quoted, before, await this.#linesOf({ root, commit: tip, path }));
    return { place: line === undefined ? own : { commit: tip, line }, tip };
  }

  async #linesOf(file: FileAt): Promise<readonly string[]> {
    return linesOf(new TextDecoder().decode(await this.#deps.readFile(file)));
  }

  /** One controller, from when there is something that can be commented on. */
  #control(): vscode.CommentController {
    if (this.#controller.value !== undefined) return this.#controller.value;
    const made = vscode.comments.createCommentController(
      commentController,
      vscode.l10n.t('Comments for agents'),
    );
    made.options = { placeHolder: vscode.l10n.t('What should the agent do here?') };
    made.commentingRangeProvider = {
      provideCommentingRanges: ({ uri, lineCount }) => {
        const isNewer = fileAt(uri)?.sessionId !== undefined;
        return isNewer ? [new vscode.Range(0, 0, lineCount - 1, 0)] : undefined;
      },
    };
    this.#controller.set(made);
    return made;
  }

  #draw({ record, standing, place, tip }: Known): void {
    const { id, sessionId, repository: root, path, commit, line, count, words, at } = record;
    const uri = uriOf({ root, commit: place.commit, path, sessionId });
    const comment: ShownComment = {
      ...{ id, mode: vscode.CommentMode.Preview, author: { name: vscode.l10n.t('You') } },
      ...{ body: card('', words.split('\n')), label: standingWord(standing), timestamp: new Date(at) },
      contextValue: standing,
    };
    const isSent = standing === 'sent';
    const { Collapsed, Expanded } = vscode.CommentThreadCollapsibleState;
    let thread = this.#threads.get(id);
    if (thread?.uri.toString() !== uri.toString() || thread.range?.start.line !== place.line) {
      thread?.dispose();
      const range = new vscode.Range(place.line, 0, place.line + count - 1, 0);
      thread = this.#control().createCommentThread(uri, range, []);
      thread.collapsibleState = Expanded;
      this.#threads.set(id, thread);
    }
    if (isSent) thread.collapsibleState = Collapsed;
    thread.canReply = false;
    thread.state = vscode.CommentThreadState[isSent ? 'Resolved' : 'Unresolved'];
    thread.contextValue = standing;
    const hasChanged = place.commit === commit && tip !== commit;
    thread.label = joined([
      this.#titleOf(sessionId),
      place.line !== line && vscode.l10n.t('moved from line {0}', line + 1),
      hasChanged && vscode.l10n.t('its lines have changed since'),
    ]);
    thread.comments = [comment];
  }

  #forget(id: string): void {
    this.#known.delete(id);
    this.#threads.get(id)?.dispose();
    this.#threads.delete(id);
  }

  #inBackground(work: () => Promise<unknown>): void {
    this.#inTurn(work).catch((error: unknown) => this.#deps.log.error('Comments cannot be read', error));
  }
}

function idsOf({ comments }: Service, sessionIds: readonly string[]): readonly string[] {
  return [...comments.values.values()]
    .filter(each => sessionIds.includes(each.sessionId))
    .map(({ id }) => id);
}

function standingWord(standing: Standing): string {
  return {
    draft: vscode.l10n.t('draft'),
    composer: vscode.l10n.t('in the composer'),
    queued: vscode.l10n.t('waiting'),
    sending: vscode.l10n.t('sending'),
    sent: vscode.l10n.t('sent'),
    refused: vscode.l10n.t('refused'),
    unknown: vscode.l10n.t('not known'),
  }[standing];
}

/** Where a comment stands by now: at its own lines, or where the newer version has them. */
export interface Place {
  readonly commit: string;
  /** The first line, from 0. */
  readonly line: number;
}

/** The lines of a text, however they end. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/);
}

/** The line from which on `lines` say what was quoted from `line` on: the same one, or else the only one; lines count from 0. */
export function placeOf(
  quoted: readonly string[],
  line: number,
  lines: readonly string[],
): number | undefined {
  const isAt = (at: number): boolean => quoted.every((text, index) => lines[at + index] === text);
  if (isAt(line)) return line;
  let found: number | undefined;
  for (let at = 0; at + quoted.length <= lines.length; at++) {
    if (!isAt(at)) continue;
    if (found !== undefined) return undefined;
    found = at;
  }
  return found;
}

/** The word that a comment is found again by in a message. */
export function markOf({ id }: CommentRecord): string {
  return id.slice(0, 8);
}

/** A comment as a part of a message: its mark, where it is, what is there, and the person's words. */
export function blockOf(comment: CommentRecord, { line, commit }: Place): string {
  const { path, count, quoted, words } = comment;
  const file = oneLine(path, 1_000);
  const ticks = longerThanIn(file, 1);
  const pad = ticks.length > 1 ? ' ' : '';
  const where = [
    markOf(comment),
    `${ticks}${pad}${file}${pad}${ticks}`,
    line + 1,
    line + count,
    commit.slice(0, 10),
  ];
  const head =
    count === 1
      ? vscode.l10n.t('Comment {0} on {1}, line {2} (commit {4}):', ...where)
      : vscode.l10n.t('Comment {0} on {1}, lines {2}–{3} (commit {4}):', ...where);
  const code = [...quoted, ...(count > quoted.length ? ['…'] : [])].join('\n');
  const fence = longerThanIn(code, 3);
  const language = /\.([\w+-]+)$/.exec(file)?.[1] ?? '';
  return `${head}\n\n${fence}${language}\n${code}\n${fence}\n\n${words}`;
}
