import * as vscode from 'vscode';
import { forNotification } from '../util/text';
import { valueAt } from './directions';
import { isGap, timeOf, type Revision } from './model';
import { canonical, isObject } from './stable';
import { makerText, type Calendar } from './words';

/** What a new session is to have; only what was chosen. */
export interface SessionChoice {
  readonly model?: string;
  readonly autonomyLevel?: string;
  readonly autonomyMode?: string;
  readonly specModeModel?: string;
  /** `providerType` of the computer. */
  readonly computerProvider?: string;
}

/** What the newest controls known say against a new session: sentences for people. The service decides, not this. */
export interface SessionPolicy {
  warnings(choice: SessionChoice): Promise<readonly string[]>;
}

const LEVELS: readonly string[] = ['off', 'low', 'medium', 'high'];

/** `revisions` newest first. Only what is certain is told: values nobody has heard of forbid nothing. */
export function warningsOf(
  choice: SessionChoice,
  revisions: readonly Revision[],
  calendar: Calendar,
): string[] {
  const [newest] = revisions;
  if (newest === undefined) return [];
  const { specModeModel, autonomyLevel, autonomyMode, computerProvider } = choice;
  const at = (path: string): unknown => valueAt(newest.settings, path);
  const since = (path: string): string => sinceText(path, revisions, calendar);
  const warnings: string[] = [];
  for (const model of new Set([choice.model, specModeModel])) {
    if (model === undefined || model === '') continue;
    const name = forNotification(model, 80);
    const path = modelObstacle(model, at);
    if (path === 'modelPolicy.blockedModelIds') {
      warnings.push(vscode.l10n.t('The controls block the model {0} ({1}).', name, since(path)));
    } else if (path === 'modelPolicy.allowedModelIds') {
      warnings.push(
        vscode.l10n.t('The model {0} is not among those the controls allow ({1}).', name, since(path)),
      );
    } else if (path !== undefined) {
      warnings.push(
        vscode.l10n.t('{0} is an added model, and the controls do not allow those ({1}).', name, since(path)),
      );
    }
  }
  const most = at('maxAutonomyLevel');
  for (const level of [autonomyLevel, autonomyMode]) {
    if (level === undefined || !isAbove(level.replace(/^auto-/, ''), most)) continue;
    warnings.push(
      vscode.l10n.t(
        'The controls allow autonomy up to {0}, and {1} is above that ({2}).',
        forNotification(String(most), 40),
        forNotification(level, 40),
        since('maxAutonomyLevel'),
      ),
    );
  }
  if (computerProvider === 'byom' && at('byomComputersEnabled') === false) {
    warnings.push(
      vscode.l10n.t(
        'The controls do not allow machines of one’s own as computers ({0}).',
        since('byomComputersEnabled'),
      ),
    );
  } else if (
    computerProvider !== undefined &&
    computerProvider !== '' &&
    computerProvider !== 'byom' &&
    at('managedComputersEnabled') === false
  ) {
    warnings.push(
      vscode.l10n.t(
        'The controls do not allow computers hosted by the service ({0}).',
        since('managedComputersEnabled'),
      ),
    );
  }
  return warnings;
}

/** The setting that stands in the way of a model. */
function modelObstacle(model: string, at: (path: string) => unknown): string | undefined {
  const names = (path: string): readonly unknown[] => {
    const list = at(path);
    return Array.isArray(list) ? list : [];
  };
  if (names('modelPolicy.blockedModelIds').includes(model)) return 'modelPolicy.blockedModelIds';
  const isAdded = names('customModels').some(
    added => isObject(added) && (added['id'] === model || added['model'] === model),
  );
  if (isAdded) {
    return at('modelPolicy.allowCustomModels') === false ? 'modelPolicy.allowCustomModels' : undefined;
  }
  const allowed = names('modelPolicy.allowedModelIds');
  if (allowed.length === 0 || allowed.includes(model)) return undefined;
  // With this one on, the list does not keep other models of the provider out.
  return at('modelPolicy.allowAllFactoryModels') === true ? undefined : 'modelPolicy.allowedModelIds';
}

function isAbove(level: string, most: unknown): boolean {
  const limit = typeof most === 'string' ? LEVELS.indexOf(most) : -1;
  return limit >= 0 && LEVELS.indexOf(level) > limit;
}

/** The revision that gave a setting the value it has now, its person and its day; no person where that is not certain. */
function sinceText(path: string, revisions: readonly Revision[], calendar: Calendar): string {
  const [newest] = revisions;
  if (newest === undefined) return path;
  const value = canonical(valueAt(newest.settings, path));
  let since = newest;
  let before: Revision | undefined;
  for (const revision of revisions) {
    // What could not be read tells neither the same nor another value.
    if (revision.unread?.some(unread => path === unread || path.startsWith(`${unread}.`)) === true) continue;
    if (canonical(valueAt(revision.settings, path)) !== value) {
      before = revision;
      break;
    }
    since = revision;
  }
  const time = timeOf(since.updatedAt);
  const day = time === undefined ? vscode.l10n.t('unknown time') : calendar.dayOf(time);
  if (before === undefined && since.revision !== 1) {
    return vscode.l10n.t('{0}, at least since revision {1}, {2}', path, since.revision, day);
  }
  if (isGap(before, since)) {
    return vscode.l10n.t(
      '{0}, set after revision {1} and at the latest with revision {2}, {3}',
      path,
      before.revision,
      since.revision,
      day,
    );
  }
  const maker = forNotification(makerText(since), 80);
  return vscode.l10n.t('{0}, revision {1} by {2}, {3}', path, since.revision, maker, day);
}
