import * as vscode from 'vscode';
import type { Computer, ProvisioningStep } from '../api';
import type { Formatter } from '../util/format';
import { durationOf, errorOf, isDone, isUntouched } from './model';
import { providerLabel, stateText } from './row';
import type { SessionOfComputer } from './sessions';

export type Fact = readonly [name: string, value: string | undefined];

/** Everything the service tells of a computer (section 2.10), in words. */
export function computerFacts(computer: Computer, format: Formatter, unknownSince?: number): Fact[] {
  return [
    [vscode.l10n.t('Name'), computer.name],
    [vscode.l10n.t('Status'), stateText(computer, format, unknownSince)],
    [vscode.l10n.t('Error'), errorOf(computer)],
    [vscode.l10n.t('Provider'), providerLabel(computer.providerType)],
    [vscode.l10n.t('Host'), computer.hostname],
    [vscode.l10n.t('Remote user'), computer.remoteUser],
    [vscode.l10n.t('Created'), format.exact(computer.createdAt)],
    [vscode.l10n.t('Relay for clients'), relayText(computer.relayClientUrl)],
    [vscode.l10n.t('Relay for the agent'), relayText(computer.relayAgentUrl)],
    [vscode.l10n.t('Id'), computer.id],
  ];
}

export function stepFacts(step: ProvisioningStep, isUntouched: boolean, format: Formatter): Fact[] {
  const duration = durationOf(step, Date.now());
  const time = (at: number | undefined): string | undefined =>
    at === undefined ? undefined : format.exact(at);
  return [
    [vscode.l10n.t('Step'), step.name ?? step.id],
    [
      vscode.l10n.t('Status'),
      isUntouched ? vscode.l10n.t('not started: the computer failed before') : step.status,
    ],
    [vscode.l10n.t('Error'), step.error],
    [vscode.l10n.t('Duration'), duration === undefined ? undefined : format.duration(duration)],
    [vscode.l10n.t('Started'), time(step.startedAt)],
    [isDone(step) ? vscode.l10n.t('Completed') : vscode.l10n.t('Ended'), time(step.completedAt)],
    [vscode.l10n.t('Id'), step.id],
  ];
}

/** All of a computer for its document: in words, its steps and sessions, then the service's own answer. */
export function computerDetails(
  computer: Computer,
  sessions: readonly SessionOfComputer[],
  format: Formatter,
  unknownSince?: number,
): unknown {
  const steps = computer.provisioningSteps ?? [];
  const { relayClientUrl, relayAgentUrl, ...answer } = computer;
  return {
    [vscode.l10n.t('Computer')]: told(computerFacts(computer, format, unknownSince)),
    ...(steps.length === 0
      ? {}
      : {
          [vscode.l10n.t('Steps')]: steps.map(step =>
            told(stepFacts(step, isUntouched(computer, step), format)),
          ),
        }),
    ...(sessions.length === 0
      ? {}
      : {
          [vscode.l10n.t('Sessions')]: sessions.map(({ label, description }) => `${label}: ${description}`),
        }),
    [vscode.l10n.t('Answer of the service')]: {
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
