import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { confirmed, restriction } from '../ui/window';
import { pick, pickSeveral, readSessionId } from '../ui/pick';
import { format } from '../ui/text';
import { redact } from '../util/redact';
import { forNotification } from '../util/text';
import { commitOf, emptyTree, PLAIN } from './git/branches';
import { patchOf, uncommitted } from './git/patch';
import { withoutPrograms, type Git } from './git/run';
import { listed } from './words';

export interface TakeAlongDeps {
  /** Those of this window. */
  readonly repositories: () => Promise<readonly Git[]>;
  /** Puts text and a file into the composer of a session; of the chat in front or one that is picked without an id. False when the person cancels. */
  readonly prefill: (message: {
    readonly sessionId: string | undefined;
    readonly text: string;
    readonly made: readonly { readonly name: string; read(): Promise<Uint8Array> }[];
    readonly isForFront: true;
    readonly title: string;
  }) => Promise<boolean>;
}

/**
 * Puts what is not committed in a repository into the composer of a session, as a patch against a commit that its remote has. Resolves
 * to false when the person thinks better of it; rejects with a sentence. `target` may be a session or a row of Source Control.
 */
export async function takeAlong(target: unknown, deps: TakeAlongDeps): Promise<boolean> {
  needGit();
  const { rootUri } = (target ?? {}) as { readonly rootUri?: vscode.Uri };
  const git = await repositoryOf(await deps.repositories(), rootUri?.fsPath);
  if (git === undefined) return false;
  const name = path.basename(git.folder);
  const { head, base: pushed, files, untracked } = await slowly(() => uncommitted(git));
  const base = pushed ?? head;
  if (base === undefined) throw new Error(vscode.l10n.t('{0} has no commits yet.', name));
  if (files.length + untracked.length === 0)
    throw new Error(vscode.l10n.t('There are no uncommitted changes in {0}.', name));
  const chosen = await chooseNew(untracked);
  if (chosen === undefined) return false;
  if (files.length + chosen.length === 0) throw new Error(vscode.l10n.t('No files were chosen.'));

  const patch = await slowly(() => patchOf(git, base, chosen));
  const size = format.bytes(patch.length);
  const named = [...files.map(file => file.path), ...chosen].filter(looksSecret);
  const secrets = listed([...new Set([...named, ...(await secretsIn(patch))])]);
  const warnings = [
    ...(pushed === undefined
      ? [vscode.l10n.t('No remote has its base: the agent may not be able to apply it. Push first.')]
      : []),
    ...(secrets === '' ? [] : [vscode.l10n.t('These files look like they contain secrets: {0}', secrets)]),
  ];
  const short = base.slice(0, 8);
  if (warnings.length > 0) {
    const facts = vscode.l10n.t('Patch of {0} against {1}.', size, short);
    const question = vscode.l10n.t('Attach the uncommitted changes of {0}?', forNotification(name));
    if (!(await confirmed(question, [facts, ...warnings].join('\n\n'), vscode.l10n.t('Attach'))))
      return false;
  }
  // A composer may hold several patches, each with its command; a shell takes this name as it is.
  const digest = createHash('sha256').update(patch).digest('hex').slice(0, 8);
  const file = `${name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 60)}-${digest}`;
  return deps.prefill({
    sessionId: readSessionId(target),
    text: vscode.l10n.t('Patch against {0}. Apply it there: `git apply {1}.patch`', base, file),
    made: [{ name: `${file}.patch`, read: () => Promise.resolve(patch) }],
    isForFront: true,
    title: vscode.l10n.t('Send {0}.patch ({1}, against {2}) to which session?', file, size, short),
  });
}

const DIFF = ['diff', '--src-prefix=a/', '--dst-prefix=b/', '--ignore-submodules=dirty', ...PLAIN];
/** A command line takes only so many paths. */
const AT_ONCE = 200;

/**
 * What changed in files since the last commit, as one diff. `rest` are those it does not show: untracked, or in no repository of
 * this window. Rejects with a sentence.
 */
export async function diffOf(
  files: readonly vscode.Uri[],
  repositories: () => Promise<readonly Git[]>,
): Promise<{ readonly diff: Uint8Array; readonly rest: readonly vscode.Uri[] }> {
  needGit();
  const found: Buffer[] = [];
  let rest = files;
  // The innermost repository first: a submodule lies in another one.
  const all = await repositories();
  for (const git of all.toSorted((a, b) => b.folder.length - a.folder.length)) {
    const own = rest.flatMap(uri => {
      const name = path.relative(git.folder, uri.fsPath).replaceAll('\\', '/');
      return uri.scheme !== 'file' || /^(?:\.\.(?:\/|$)|$)/.test(name) || path.isAbsolute(name)
        ? []
        : [{ uri, name }];
    });
    if (own.length === 0) continue;
    const env = await withoutPrograms(git);
    const head = (await commitOf(git, 'HEAD')) || (await emptyTree(git));
    const others = new Set<string>();
    for (let from = 0; from < own.length; from += AT_ONCE) {
      const names = own.slice(from, from + AT_ONCE).map(({ name }) => name);
      found.push(await git.read([...DIFF, head, '--', ...names], { env }));
      const untracked = await git.read(['ls-files', '-z', '--others', '--', ...names]);
      for (const name of untracked.toString('utf8').split('\0')) others.add(name);
    }
    const shown = new Set(own.filter(({ name }) => !others.has(name)).map(({ uri }) => uri));
    rest = rest.filter(uri => !shown.has(uri));
  }
  return { diff: Buffer.concat(found), rest };
}

/** A large repository takes a while: the status bar says so. */
function slowly<T>(work: () => Promise<T>): Thenable<T> {
  const title = vscode.l10n.t('Reading your changes…');
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, work);
}

/** Throws why Git does not run in this window. */
export function needGit(): void {
  const why = restriction();
  if (why === 'untrusted')
    throw new Error(vscode.l10n.t('Trust this workspace first: Git does not run in Restricted Mode.'));
  if (why === 'virtual')
    throw new Error(vscode.l10n.t('Git runs only where the files of the workspace are on this machine.'));
}

/** The repository that is meant: the named one, the only one, or the one that is chosen. */
async function repositoryOf(all: readonly Git[], root: string | undefined): Promise<Git | undefined> {
  const named = all.find(({ folder }) => folder === root);
  if (named !== undefined || (root === undefined && all.length === 1)) return named ?? all[0];
  if (all.length === 0) throw new Error(vscode.l10n.t('Open a folder with a Git repository first.'));
  const choices = all.map(git => {
    return { label: path.basename(git.folder), description: git.folder, value: git };
  });
  return pick(choices, vscode.l10n.t('Send the uncommitted changes of which repository?'));
}

/** Which files that Git does not know yet go along; `undefined` when the person thinks better of it. */
async function chooseNew(
  untracked: readonly { readonly path: string; readonly size: number }[],
): Promise<readonly string[] | undefined> {
  if (untracked.length === 0) return [];
  const choices = untracked.map(file => {
    return { label: file.path, description: format.bytes(file.size), value: file };
  });
  const question = vscode.l10n.t('Which new files should be included?');
  const chosen = await pickSeveral(choices, question, file => !looksSecret(file.path));
  return chosen?.map(file => file.path);
}

const SECRET_FILE =
  /(?:^|\/)(?:\.env(?!\.(?:example|sample|template)$)(?:\.[^/]*)?|\.(?:netrc|npmrc|pypirc|pgpass|htpasswd|git-credentials)|id_(?:rsa|dsa|ecdsa|ed25519)|(?:credentials?|secrets?)(?:\.\w+)?|[^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk))$/i;

const looksSecret = (name: string): boolean => SECRET_FILE.test(name);

/** Others get their turn after so many characters. */
const SLICE = 64 * 1024;

/** The files of a patch in whose text something looks like a secret. */
async function secretsIn(patch: Buffer): Promise<readonly string[]> {
  const found: string[] = [];
  const sections = patch.toString('utf8').split(/^diff --git (?=.* )/m);
  for (const section of sections.slice(1)) {
    const name = /^(?:\+\+\+ "?b|--- "?a)\/(.*?)"?\t?$/m.exec(section)?.[1] ?? '';
    // Lines of text begin so; those of binary files do not.
    const text = (section.match(/^[+ -].*$/gm) ?? []).map(line => line.slice(1)).join('\n');
    for (let from = 0; from < text.length; from += SLICE) {
      const slice = text.slice(from, from + SLICE);
      if (redact(slice) !== slice) found.push(name);
      await setImmediate();
    }
  }
  return found;
}
