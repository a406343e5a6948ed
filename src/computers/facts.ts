import * as vscode from 'vscode';
import type { Computer, ProvisioningStep } from '../api';
import type { Formatter } from '../util/format';
import { durationOf, errorOf, isUntouched } from './model';
import { providerLabel, stateText } from './row';
import type { SessionOfComputer } from './sessions';

export type Fact = readonly [name: string, value: string | undefined];

/** Everything the service tells of a computer (section 2.10), in words. */
export function computerFacts(computer: Computer, format: Formatter): Fact[] {
  const { t } = vscode.l10n;
  return [
    [t('Name'), computer.name],
    [t('Status'), stateText(computer, format)],
    [t('Error'), errorOf(computer)],
    [t('Provider'), providerLabel(computer.providerType)],
    [t('Host'), computer.hostname],
    [t('Remote user'), computer.remoteUser],
    [t('Created'), format.exact(computer.createdAt)],
    [t('Relay for clients'), relayText(computer.relayClientUrl)],
    [t('Relay for the agent'), relayText(computer.relayAgentUrl)],
    [t('Id'), computer.id],
  ];
}

export function stepFacts(step: ProvisioningStep, isUntouched: boolean, format: Formatter): Fact[] {
  const { t } = vscode.l10n;
  const duration = durationOf(step, Date.now());
  const time = (at: number | undefined): string | undefined =>
    at === undefined ? undefined : format.exact(at);
  return [
    [t('Step'), step.name ?? step.id],
    [t('Status'), isUntouched ? t('not started: the computer failed before') : step.status],
    [t('Error'), step.error],
    [t('Duration'), duration === undefined ? undefined : format.span(duration)],
    [t('Started'), time(step.startedAt)],
    [t('Completed'), time(step.completedAt)],
    [t('Id'), step.id],
  ];
}

/** All of a computer for its document: in words, its steps and sessions, then the service's own answer. */
export function computerDetails(
  computer: Computer,
  sessions: readonly SessionOfComputer[],
  format: Formatter,
): unknown {
  const { t } = vscode.l10n;
  const steps = computer.provisioningSteps ?? [];
  const { relayClientUrl, relayAgentUrl, ...answer } = computer;
  return {
    [t('Computer')]: told(computerFacts(computer, format)),
    ...(steps.length === 0
      ? {}
      : { [t('Steps')]: steps.map(step => told(stepFacts(step, isUntouched(computer, step), format))) }),
    ...(sessions.length === 0
      ? {}
      : { [t('Sessions')]: sessions.map(({ label, description }) => `${label}: ${description}`) }),
    [t('Answer of the service')]: {
      ...answer,
      relayClientUrl: relayText(relayClientUrl),
      relayAgentUrl: relayText(relayAgentUrl),
    },
  };
}

function told(facts: readonly Fact[]): Record<string, string> {
  return Object.fromEntries(
    facts.filter((fact): fact is readonly [string, string] => fact[1] !== undefined && fact[1] !== ''),
  );
}

/** Who knows a relay address can reach the computer: its host says enough (interface-notes 9). */
export function relayText(address: string | undefined): string | undefined {
  if (address === undefined || address === '') return undefined;
  try {
    const { protocol, host } = new URL(address);
    return vscode.l10n.t('{0}//{1} (the rest is not shown)', protocol, host);
  } catch {
    return vscode.l10n.t('told by the service, not shown');
  }
}
