import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Connection } from '../connection';
import type { CommandHandlers } from '../contributions';
import type { ShownWork } from '../shared';
import type { Storage } from '../storage';
import { notify, type NoticeButton } from '../ui/window';
import { pick, type Choice, readSessionId } from '../ui/pick';
import { joined } from '../ui/text';
import { Disposable } from '../util/lifecycle';
import { OpenRepositories, type GitRepository } from '../util/git';
import { Git } from './git/run';
import { forNotification } from '../util/text';
import { bringHome, openFolder } from './bringHome';
import { Comments, type CommentsDeps } from './comments';
import { contentOf, filesBetween, isSameBranch } from './git/branches';
import type { BranchName, Changes } from './git/model';
import { fileAt, showDiff, type FileAt } from './show';
import { diffOf, needGit, takeAlong, type TakeAlongDeps } from './takeAlong';
import { SessionWork, type ChangesSessions, type Work, type WorkDeps } from './work';
import { ageOf, lineFigures, reasonOf, shownWork } from './words';

export interface ChangesDeps extends Omit<WorkDeps, 'repositories'>, Pick<CommentsDeps, 'messages'> {
  readonly connection: Pick<Connection, 'ready' | 'state'>;
  readonly sessions: ChangesSessions;
  /** Puts a text and files into the composer of a session; resolves when that is durable, to false when the person cancels. */
  readonly prefill: CommentsDeps['prefill'] & TakeAlongDeps['prefill'];
  /** Where the sample's repository is made. */
  readonly storageUri: vscode.Uri;
}

/** What agents changed: their branches found in the repositories of this window, shown, and brought home. */
export class ChangesFeature extends Disposable {
  readonly #deps: ChangesDeps;
  readonly #repositories = this.register(new OpenRepositories());
  readonly #work: SessionWork;
  readonly #comments: Comments;

  readonly commands: CommandHandlers<'changes'> = {
    show: async target => {
      const found = await this.#find(target, vscode.l10n.t('Show the changes of which session?'));
      const changes = found && this.#changesOf(found);
      if (found === undefined || changes === undefined) return;
      const { branch, files, base, tip } = changes;
      this.#comments.show(found.sessionId, { root: branch.repository, commit: tip });
      // The editor adds how many files there are.
      const title = joined([branch.name, lineFigures(files)]);
      await showDiff(title, files, { root: branch.repository, base, tip }, found.sessionId);
    },
    chooseBranch: async target => {
      const found = await this.#find(target, vscode.l10n.t('Choose the branch of which session?'));
      if (found !== undefined) await this.#chooseBranch(found);
    },
    bringHome: async target => {
      const found = await this.#find(target, vscode.l10n.t('Bring home the changes of which session?'));
      const changes = found && this.#changesOf(found);
      if (changes === undefined) return;
      const git = await this.#work.git(changes.branch.repository);
      await bringHome({ git, changes, log: this.#deps.log });
    },
    takeAlong: async target => {
      await takeAlong(target, { ...this.#deps, repositories: () => this.#gits() });
    },
    comment: reply => this.#comments.add(reply),
    removeComment: comment => this.#comments.remove(comment),
    sendComments: target => this.#comments.send(target),
  };

  constructor(deps: ChangesDeps) {
    super();
    this.#deps = deps;
    this.#work = this.register(new SessionWork({ ...deps, repositories: this.#repositories }));
    this.#comments = this.register(new Comments({ ...deps, readFile: file => this.#read(file) }));
    const load = (): void => this.#comments.load();
    this.register(deps.sessions.onDidChange(load));
    load();
  }

  get onDidChange() {
    return this.#work.onDidChange;
  }

  /** Looks for what agents changed from now on, for whoever shows it. */
  begin(): void {
    this.#work.begin();
  }

  /** What is known of a session's work, in words. */
  of(sessionId: string): ShownWork | undefined {
    const work = this.#work.get(sessionId);
    return work && shownWork(work);
  }

  /** A file of a commit for the editor, which may have opened it again after a reload; only of a repository that is open here. */
  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const file = fileAt(uri);
    if (file === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    if (file.sessionId !== undefined) this.#comments.showAgain(file.sessionId, file);
    return this.#read(file);
  }

  async #read({ root, commit, path: file }: FileAt): Promise<Uint8Array> {
    return contentOf(await this.#work.git(root), commit, file);
  }

  /** What changed in files since the last commit, as one diff, and the files it does not show. */
  diffOf(files: readonly vscode.Uri[]): ReturnType<typeof diffOf> {
    return diffOf(files, () => this.#gits());
  }

  /** Git in the repositories of this window that are on this machine. */
  async #gits(): Promise<readonly Git[]> {
    await this.#repositories.looked();
    const { program, all } = this.#repositories;
    const here = all.filter(({ rootUri }) => rootUri.scheme === 'file');
    return program === undefined ? [] : here.map(({ rootUri }) => new Git(program, rootUri.fsPath));
  }

  /** Says why there is nothing to see, and what can be done. */
  #tell(sentence: string, ...buttons: readonly NoticeButton[]): void {
    const { connection, storage, storageUri, log } = this.#deps;
    const isSample = connection.state.current.service?.source === 'sample';
    const open = (): Promise<void> => openSampleWorkspace(storageUri, this.#repositories.program, storage);
    const sample: NoticeButton = [vscode.l10n.t('Open sample workspace'), open];
    notify(log, 'info', forNotification(sentence), ...buttons, ...(isSample ? [sample] : []));
  }

  /** A session's work, the session asked for where none is named; throws why nothing can be looked at. */
  async #find(target: unknown, question: string): Promise<Found | undefined> {
    needGit();
    const { connection, sessions } = this.#deps;
    await connection.ready();
    await Promise.all([sessions.ready(), this.#repositories.looked()]);
    const sessionId = readSessionId(target) ?? (await sessions.pick(question));
    if (sessionId === undefined) return undefined;
    const work = await this.#work.find(sessionId);
    if (this.#work.repositories.length === 0) {
      this.#tell(vscode.l10n.t('Open a folder with a Git repository to see what agents changed in it.'));
      return undefined;
    }
    return { sessionId, title: sessions.get(sessionId)?.title ?? sessionId, work };
  }

  /** The changes of the branch that is known; otherwise says why there are none, and what can be done. */
  #changesOf(found: Found): Changes | undefined {
    const { claim, changes } = found.work;
    if (changes !== undefined && changes.files.length > 0) return changes;
    const sentence =
      claim.sure === 'unknown'
        ? reasonOf(claim)
        : changes === undefined
          ? vscode.l10n.t(
              'The branch {0} is not in this window. Fetch it, or choose another one.',
              claim.branch.name,
            )
          : vscode.l10n.t('The branch {0} changes no file.', claim.branch.name);
    this.#tell(sentence, [vscode.l10n.t('Choose branch…'), () => this.#chooseBranch(found)]);
    return undefined;
  }

  /** Lets the person fetch, look at a commit, or say which branch is the session's. */
  async #chooseBranch({ sessionId, title, work }: Found): Promise<void> {
    const fetches = this.#repositories.all.flatMap((repository): Acts => {
      return repository.state.remotes.map(({ name }) => ({
        label: vscode.l10n.t('Fetch from {0}', name),
        description: path.basename(repository.rootUri.fsPath),
        icon: 'cloud-download',
        value: () => this.#fetch(sessionId, repository, name),
      }));
    });
    const choices = [...fetches, ...this.#commitChoices(work), ...this.#branchChoices(sessionId, work)];
    const act = await pick(choices, vscode.l10n.t('Which branch has the work of “{0}”?', title));
    await act?.();
  }

  async #fetch(sessionId: string, repository: GitRepository, remote: string): Promise<void> {
    const location = vscode.ProgressLocation.Notification;
    const title = forNotification(vscode.l10n.t('Fetching from {0}', remote));
    await vscode.window.withProgress({ location, cancellable: true, title }, async (_, token) => {
      // Git goes on by itself when the person does not wait for it.
      const left = new Promise<'left'>(resolve => token.onCancellationRequested(() => resolve('left')));
      if ((await Promise.race([repository.fetch({ remote }), left])) === 'left') return;
      const found = await this.#work.find(sessionId);
      const sentence = shownWork(found)?.short ?? reasonOf(found.claim);
      notify(this.#deps.log, 'info', forNotification(vscode.l10n.t('Fetched: {0}', sentence)));
    });
  }

  #commitChoices({ changes }: Work): Acts {
    if (changes === undefined) return [];
    const root = changes.branch.repository;
    return changes.commits.map(({ hash: tip, parent: base = changes.base, subject, author, at }) => ({
      label: subject,
      description: joined([author, ageOf(at)]),
      icon: 'git-commit',
      value: async () => {
        const files = await filesBetween(await this.#work.git(root), base, tip);
        await showDiff(subject, files, { root, base, tip });
      },
    }));
  }

  #branchChoices(sessionId: string, { claim }: Work): Acts {
    const named = (branch: BranchName | undefined) => () => this.#work.name(sessionId, branch);
    const all = this.#work.repositories.flatMap(({ branches }) => [...branches]);
    const choices = all
      .sort((a, b) => b.at - a.at)
      .map(({ repository, remote, name, at }) => {
        const branch = { repository, remote, name };
        const isNow = claim.sure !== 'unknown' && isSameBranch(claim.branch, branch);
        return {
          label: joined([remote, name], '/'),
          description: joined([path.basename(repository), ageOf(at), isNow && reasonOf(claim)]),
          icon: isNow ? 'check' : 'git-branch',
          value: named(branch),
        };
      });
    const label = vscode.l10n.t('Find it automatically');
    const forget = { label, icon: 'discard', value: named(undefined) };
    return claim.sure !== 'unknown' && claim.evidence === 'named' ? [...choices, forget] : choices;
  }
}

/**
 * Opens the repository that the sessions of the sample are about in a window of its own; it is made once, below `storageUri`. `git` is
 * the program. Rejects with a sentence where Git does not run.
 */
export async function openSampleWorkspace(
  storageUri: vscode.Uri,
  git: string | undefined,
  storage: Pick<Storage, 'collection'>,
): Promise<void> {
  needGit();
  if (git === undefined)
    throw new Error(vscode.l10n.t('The sample workspace needs Git, which was not found.'));
  const { firstUsed, makeSampleRepository, sampleRecord } = await import('../sample');
  const records = storage.collection({ path: 'sample', version: 1, schema: sampleRecord });
  const folder = path.join(storageUri.fsPath, 'sample', 'shop');
  await makeSampleRepository(folder, git, await firstUsed(records));
  await openFolder(folder);
}

type Acts = readonly Choice<() => Promise<void>>[];

interface Found {
  readonly sessionId: string;
  readonly title: string;
  readonly work: Work;
}
