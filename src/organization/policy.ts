import * as vscode from 'vscode';
import { forNotification } from '../util/text';
import { WHOLE } from './changes';
import { autonomyRank, valueAt } from './catalogue';
import type { Revision } from './model';
import { isObject } from './stable';

/** What a new session is to have; only what was chosen. */
export interface SessionChoice {
  readonly model?: string | undefined;
  readonly autonomyLevel?: string | undefined;
  readonly autonomyMode?: string | undefined;
  readonly specModeModel?: string | undefined;
  /** `providerType` of the computer. */
  readonly computerProvider?: string | undefined;
}

/**
 * What the newest controls known say against a new session, in sentences for people; the service decides, not this. Only what is
 * certain is told: values nobody has heard of forbid nothing, nor does what could not be read.
 */
export function warningsOf(choice: SessionChoice, newest: Revision | undefined): string[] {
  if (newest === undefined) return [];
  const { settings, unread = [], revision } = newest;
  const at = (path: string): unknown => valueAt(settings, path);
  const names = (path: string): readonly unknown[] => {
    const list = at(path);
    return Array.isArray(list) ? list : [];
  };
  const areRead = (...paths: readonly string[]): boolean =>
    !unread.some(part => part === WHOLE || paths.some(path => path === part || path.startsWith(`${part}.`)));
  const since = (path: string): string => vscode.l10n.t('{0}, as of revision {1}', path, revision);
  const warnings: string[] = [];

  for (const model of new Set([choice.model, choice.specModeModel])) {
    if (model === undefined || model === '') continue;
    const name = forNotification(model, 80);
    const isAdded = names('customModels').some(
      added => isObject(added) && (added['id'] === model || added['model'] === model),
    );
    const [blocked, custom, allowed] = [
      'modelPolicy.blockedModelIds',
      'modelPolicy.allowCustomModels',
      'modelPolicy.allowedModelIds',
    ] as const;
    const all = 'modelPolicy.allowAllFactoryModels';
    // With that flag on, the list does not keep other models of the provider out.
    const isListed = names(allowed).length === 0 || at(all) === true || names(allowed).includes(model);
    if (areRead(blocked) && names(blocked).includes(model))
      warnings.push(vscode.l10n.t('The controls block the model {0} ({1}).', name, since(blocked)));
    else if (areRead(custom, 'customModels') && isAdded && at(custom) === false)
      warnings.push(
        vscode.l10n.t(
          '{0} is a custom model, and the controls do not allow custom models ({1}).',
          name,
          since(custom),
        ),
      );
    else if (areRead(allowed, all, 'customModels') && !isAdded && !isListed)
      warnings.push(vscode.l10n.t('The controls do not allow the model {0} ({1}).', name, since(allowed)));
  }

  const highest = 'maxAutonomyLevel';
  const most = areRead(highest) ? autonomyRank(at(highest)) : -1;
  for (const level of [choice.autonomyLevel, choice.autonomyMode])
    if (level !== undefined && most >= 0 && autonomyRank(level) > most)
      warnings.push(
        vscode.l10n.t(
          'The controls allow autonomy up to {0}, and {1} is above that ({2}).',
          forNotification(String(at(highest)), 40),
          forNotification(level, 40),
          since(highest),
        ),
      );

  const { computerProvider = '' } = choice;
  const isOwn = computerProvider === 'byom';
  const allows = isOwn ? 'byomComputersEnabled' : 'managedComputersEnabled';
  if (computerProvider !== '' && areRead(allows) && at(allows) === false)
    warnings.push(
      isOwn
        ? vscode.l10n.t('The controls do not allow your own machines as computers ({0}).', since(allows))
        : vscode.l10n.t('The controls do not allow computers hosted by the service ({0}).', since(allows)),
    );
  return warnings;
}
