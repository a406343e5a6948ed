import * as vscode from 'vscode';
import { forNotification } from '../util/text';
import { autonomyRank, isObject, valueAt } from './changes';
import type { Revision } from './data';

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
 * certain is told: values nobody has heard of forbid nothing.
 */
export function warningsOf(choice: SessionChoice, newest: Revision | undefined): string[] {
  if (newest === undefined) return [];
  const { settings, revision } = newest;
  const at = (path: string): unknown => valueAt(settings, path);
  const models = (path: string): readonly string[] => {
    const list = at(path);
    return Array.isArray(list) && list.every(item => typeof item === 'string') ? list : [];
  };
  const since = (path: string): string => vscode.l10n.t('{0}, as of revision {1}', path, revision);
  const warnings: string[] = [];

  for (const model of new Set([choice.model, choice.specModeModel])) {
    if (model === undefined || model === '') continue;
    const name = forNotification(model, 80);
    const added = at('customModels') ?? [];
    const areKnown = Array.isArray(added) && added.every(isObject);
    const isAdded = areKnown && added.some(({ id, model: its }) => id === model || its === model);
    const [blocked, custom, allowed] = [
      'modelPolicy.blockedModelIds',
      'modelPolicy.allowCustomModels',
      'modelPolicy.allowedModelIds',
    ] as const;
    // With that flag on, the list does not keep other models of the provider out.
    const isClosed = (at('modelPolicy.allowAllFactoryModels') ?? false) === false;
    const isLeftOut = isClosed && models(allowed).length > 0 && !models(allowed).includes(model);
    if (models(blocked).includes(model))
      warnings.push(vscode.l10n.t('The controls block the model {0} ({1}).', name, since(blocked)));
    else if (isAdded && at(custom) === false)
      warnings.push(
        vscode.l10n.t(
          '{0} is a custom model, and the controls do not allow custom models ({1}).',
          name,
          since(custom),
        ),
      );
    else if (areKnown && !isAdded && isLeftOut)
      warnings.push(vscode.l10n.t('The controls do not allow the model {0} ({1}).', name, since(allowed)));
  }

  const highest = 'maxAutonomyLevel';
  const most = autonomyRank(at(highest));
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
  if (computerProvider !== '' && at(allows) === false)
    warnings.push(
      isOwn
        ? vscode.l10n.t('The controls do not allow your own machines as computers ({0}).', since(allows))
        : vscode.l10n.t('The controls do not allow computers hosted by the service ({0}).', since(allows)),
    );
  return warnings;
}
