import * as vscode from 'vscode';
import { activeFile } from '../util/activeFile';
import { oneLine } from '../util/text';
import { inWindowOrder, type GitState, type LocalRepository } from './git';
import type { Repository } from './model';
import { matching } from './repositoryUrl';

/** A repository with reports, and where it is open in this window. */
export interface Match {
  readonly repository: Repository;
  readonly local: LocalRepository;
}

/** The repositories of this window, and which of them have reports. */
export class Matches {
  /** Two clones of one repository are two, and so are a fork and its parent. */
  readonly #pairs: readonly Match[];
  readonly #locals: readonly LocalRepository[];

  constructor(repositories: ReadonlyMap<string, Repository>, git: GitState) {
    this.#locals = git.kind === 'found' ? git.repositories : [];
    this.#pairs = this.#locals.toSorted(inWindowOrder).flatMap(local =>
      matching(repositories.keys(), local.urls).flatMap(key => {
        const repository = repositories.get(key);
        return repository === undefined ? [] : [{ repository, local }];
      }),
    );
  }

  /** Each repository once, where it comes first. */
  get all(): readonly Match[] {
    const first = new Map(this.#pairs.toReversed().map(pair => [pair.repository.key, pair]));
    return [...first.values()].reverse();
  }

  /** Where a repository is open. */
  local(key: string): LocalRepository | undefined {
    return this.#pairs.find(({ repository }) => repository.key === key)?.local;
  }

  get unmatched(): readonly Unmatched[] {
    // Git's description of a repository is made anew whenever it looks.
    const matched = new Set(this.#pairs.map(({ local }) => local.root.path));
    const folders = vscode.workspace.workspaceFolders?.map(({ uri }) => uri) ?? [];
    return unmatchedOf(folders, this.#locals, local => matched.has(local.root.path));
  }

  /** Of the file in front, the innermost repository; without a file in one, the first of this window. */
  get here(): Match | undefined {
    const file = activeFile();
    const [around] = this.#locals
      .filter(({ root }) => file !== undefined && isWithin(file, root))
      .sort((a, b) => b.root.path.length - a.root.path.length);
    return around === undefined
      ? this.#pairs[0]
      : this.#pairs.find(({ local }) => local.root.path === around.root.path);
  }
}

/** A place of this window without a report. `urls` are the remotes' addresses; `undefined` where there is no repository. */
export interface Unmatched {
  readonly root: Place;
  readonly urls: readonly string[] | undefined;
}

/** As much of a folder's address as is needed here. */
export type Place = Pick<vscode.Uri, 'scheme' | 'path'>;
type Local = Pick<LocalRepository, 'urls'> & { readonly root: Place };

/** Whether a folder is another one, or lies in it. */
export function isWithin(inner: Place, outer: Place): boolean {
  return inner.scheme === outer.scheme && `${inner.path}/`.startsWith(`${outer.path.replace(/\/$/, '')}/`);
}

/**
 * Repositories of this window that have no report, without those inside of others, and folders of the workspace that have to do
 * with no repository.
 */
export function unmatchedOf(
  folders: readonly Place[],
  locals: readonly Local[],
  matched: (local: Local) => boolean,
): Unmatched[] {
  const nested = (local: Local): boolean =>
    locals.some(other => other !== local && isWithin(local.root, other.root));
  const apart = (folder: Place): boolean =>
    !locals.some(({ root }) => isWithin(folder, root) || isWithin(root, folder));
  return [
    ...locals.filter(local => !matched(local) && !nested(local)),
    ...folders.filter(apart).map(root => ({ root, urls: undefined })),
  ];
}

/** What the row of a place without a report says. */
export function placeText({ root, urls }: Unmatched): {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
} {
  const label = oneLine(root.path.split('/').findLast(part => part !== '') ?? root.path, 100);
  if (urls === undefined) {
    const description = vscode.l10n.t('no repository');
    return { label, description, detail: vscode.l10n.t('This folder is no Git repository.') };
  }
  return urls.length === 0
    ? {
        label,
        description: vscode.l10n.t('no remote'),
        detail: vscode.l10n.t('Reports are matched by the addresses of remotes.'),
      }
    : {
        label,
        description: vscode.l10n.t('no report'),
        detail: vscode.l10n.t('None of these remotes has a report: {0}', remotesOf([{ urls }])),
      };
}

/** Why no repository of this window has a report: a few words, and what can be done. */
export function unmatchedText(state: GitState): { readonly label: string; readonly detail: string } {
  switch (state.kind) {
    case 'looking':
      return {
        label: vscode.l10n.t('Looking for repositories…'),
        detail: vscode.l10n.t('The Git extension has not finished looking.'),
      };
    case 'missing':
      return {
        label: vscode.l10n.t('The Git extension is not available'),
        detail: vscode.l10n.t(
          'Without it the repositories of this window are not known. In Restricted Mode it is off.',
        ),
      };
    case 'disabled':
      return {
        label: vscode.l10n.t('Git is turned off'),
        detail: vscode.l10n.t('Turn on the setting “git.enabled” to match repositories.'),
      };
    case 'found':
      if (state.repositories.length === 0) {
        return {
          label: vscode.l10n.t('No repository is open'),
          detail: vscode.l10n.t('Open a folder that is a Git repository.'),
        };
      }
      return state.repositories.every(({ urls }) => urls.length === 0)
        ? {
            label: vscode.l10n.t('The repository has no remote'),
            detail: vscode.l10n.t('Reports are matched by the addresses of remotes.'),
          }
        : {
            label: vscode.l10n.t('No report for this window'),
            detail: vscode.l10n.t('None of these remotes has a report: {0}', remotesOf(state.repositories)),
          };
  }
}

function remotesOf(repositories: readonly { readonly urls: readonly string[] }[]): string {
  const urls = repositories.flatMap(repository => repository.urls);
  // An address may hold a password.
  return urls.map(url => oneLine(url.replace(/\/\/[^/]*@/, '//'), 200)).join(', ');
}
