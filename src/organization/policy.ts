import * as vscode from 'vscode';
import type { Formatter } from '../util/format';
import { forNotification } from '../util/text';
import { autonomyRank, valueAt } from './directions';
import { WHOLE } from './changes';
import { dayOf, isGap, timeOf, type Revision } from './model';
import { isObject } from './stable';
import { makerText } from './words';

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

/** `revisions` newest first. Only what is certain is told: values nobody has heard of forbid nothing. */
export function warningsOf(
  choice: SessionChoice,
  revisions: readonly Revision[],
  format: Formatter,
): string[] {
  const [newest] = revisions;
  if (newest === undefined) return [];
  const { specModeModel, autonomyLevel, autonomyMode, computerProvider } = choice;
  const since = (rule: Rule): string => sinceText(rule, revisions, format);
  const holds = (rule: Rule): boolean => forbids(rule, newest) === true;
  const warnings: string[] = [];
  for (const model of new Set([choice.model, specModeModel])) {
    if (model === undefined || model === '') continue;
    const name = forNotification(model, 80);
    const { blocked, added, missing } = modelRules(model);
    if (holds(blocked)) {
      warnings.push(vscode.l10n.t('The controls block the model {0} ({1}).', name, since(blocked)));
    } else if (holds(added)) {
      warnings.push(
        vscode.l10n.t(
          '{0} is a custom model, and the controls do not allow custom models ({1}).',
          name,
          since(added),
        ),
      );
    } else if (holds(missing)) {
      warnings.push(vscode.l10n.t('The controls do not allow the model {0} ({1}).', name, since(missing)));
    }
  }
  for (const level of [autonomyLevel, autonomyMode]) {
    if (level === undefined) continue;
    const tooMuch = levelRule(level);
    if (!holds(tooMuch)) continue;
    warnings.push(
      vscode.l10n.t(
        'The controls allow autonomy up to {0}, and {1} is above that ({2}).',
        forNotification(String(valueAt(newest.settings, tooMuch.path)), 40),
        forNotification(level, 40),
        since(tooMuch),
      ),
    );
  }
  const [own, hosted] = [flagRule('byomComputersEnabled'), flagRule('managedComputersEnabled')];
  if (computerProvider === 'byom') {
    if (holds(own)) {
      warnings.push(
        vscode.l10n.t('The controls do not allow your own machines as computers ({0}).', since(own)),
      );
    }
  } else if (computerProvider !== undefined && computerProvider !== '' && holds(hosted)) {
    warnings.push(
      vscode.l10n.t('The controls do not allow computers hosted by the service ({0}).', since(hosted)),
    );
  }
  return warnings;
}

type At = (path: string) => unknown;

/** Whether one setting stands in the way of one choice. */
interface Rule {
  /** The setting that is named. */
  readonly path: string;
  /** Other settings that decide with it. */
  readonly beside?: readonly string[];
  readonly forbids: (at: At) => boolean;
}

function modelRules(model: string): Readonly<Record<'blocked' | 'added' | 'missing', Rule>> {
  const names = (at: At, path: string): readonly unknown[] => {
    const list = at(path);
    return Array.isArray(list) ? list : [];
  };
  const isAdded = (at: At): boolean =>
    names(at, 'customModels').some(
      added => isObject(added) && (added['id'] === model || added['model'] === model),
    );
  return {
    blocked: {
      path: 'modelPolicy.blockedModelIds',
      forbids: at => names(at, 'modelPolicy.blockedModelIds').includes(model),
    },
    added: {
      path: 'modelPolicy.allowCustomModels',
      beside: ['customModels'],
      forbids: at => isAdded(at) && at('modelPolicy.allowCustomModels') === false,
    },
    missing: {
      path: 'modelPolicy.allowedModelIds',
      beside: ['modelPolicy.allowAllFactoryModels', 'customModels'],
      forbids: at => {
        const allowed = names(at, 'modelPolicy.allowedModelIds');
        // With the flag on, the list does not keep other models of the provider out.
        const decides = allowed.length > 0 && at('modelPolicy.allowAllFactoryModels') !== true;
        return decides && !isAdded(at) && !allowed.includes(model);
      },
    },
  };
}

function levelRule(level: string): Rule {
  const path = 'maxAutonomyLevel';
  return {
    path,
    forbids: at => {
      const most = autonomyRank(at(path));
      return most >= 0 && autonomyRank(level) > most;
    },
  };
}

function flagRule(path: string): Rule {
  return { path, forbids: at => at(path) === false };
}

/** `undefined` where a setting that decides could not be read. */
function forbids(
  { path, beside = [], forbids: decide }: Rule,
  { settings, unread }: Revision,
): boolean | undefined {
  const isUnread = (each: string): boolean =>
    unread?.some(part => part === WHOLE || each === part || each.startsWith(`${part}.`)) === true;
  return [path, ...beside].some(isUnread) ? undefined : decide(each => valueAt(settings, each));
}

/**
 * The revision since which a choice has been forbidden by a setting, its person and its day, whatever else changed in that
 * setting meanwhile; no person where that is not certain.
 */
function sinceText(rule: Rule, revisions: readonly Revision[], format: Formatter): string {
  const { path } = rule;
  const [newest] = revisions;
  if (newest === undefined) return path;
  let since = newest;
  let before: Revision | undefined;
  for (const revision of revisions) {
    const isForbidden = forbids(rule, revision);
    // What could not be read tells neither that it was nor that it was not.
    if (isForbidden === undefined) continue;
    if (!isForbidden) {
      before = revision;
      break;
    }
    since = revision;
  }
  const day = format.day(dayOf(timeOf(since.updatedAt))) || vscode.l10n.t('unknown time');
  if (before === undefined && since.revision !== 1) {
    return vscode.l10n.t('{0}, at least since revision {1}, {2}', path, since.revision, day);
  }
  if (isGap(before, since)) {
    return vscode.l10n.t(
      '{0}, set between revisions {1} and {2}, {3}',
      path,
      before.revision,
      since.revision,
      day,
    );
  }
  const maker = forNotification(makerText(since), 80);
  return vscode.l10n.t('{0}, revision {1} by {2}, {3}', path, since.revision, maker, day);
}
