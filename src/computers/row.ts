import * as vscode from 'vscode';
import type { Computer, ProvisioningStep } from '../api';
import type { Formatter } from '../util/format';
import { oneLine } from '../util/text';
import { durationOf, errorOf, isRunning, progressOf } from './model';

export interface Row {
  readonly label: string;
  readonly description: string;
}

/** A computer as one row: name, then state, then the quieter facts. `unknownSince` as of `ComputerList`. */
export function computerRow(computer: Computer, format: Formatter, unknownSince?: number): Row {
  const label = oneLine(computer.name) || oneLine(computer.id);
  const error = computer.status === 'error' ? errorOf(computer) : undefined;
  const facts = [
    stateText(computer, format, unknownSince),
    error,
    providerLabel(computer.providerType),
    computer.hostname,
  ];
  return { label, description: parts(facts).join(' · ') };
}

/** The state in words; a computer being set up says how far it is. One that is not known says what it was, and when. */
export function stateText(computer: Computer, format: Formatter, unknownSince?: number): string {
  if (unknownSince !== undefined) {
    const age = format.span(Date.now() - unknownSince);
    return vscode.l10n.t('unknown, {0} {1} ago', stateText(computer, format), age);
  }
  const { status } = computer;
  if (status === undefined || status === '') return vscode.l10n.t('no status reported');
  const progress = progressOf(computer);
  if (status !== 'provisioning' || progress === undefined) return oneLine(status, 60);
  return vscode.l10n.t('provisioning {0}/{1}', format.number(progress.done), format.number(progress.all));
}

/** A provisioning step as one row. `isUntouched`: the computer failed before the step began. */
export function stepRow(step: ProvisioningStep, index: number, isUntouched: boolean, format: Formatter): Row {
  const label = oneLine(step.name ?? step.id ?? '') || vscode.l10n.t('Step {0}', index + 1);
  const duration = durationOf(step, Date.now());
  const time = duration === undefined ? undefined : format.duration(duration);
  const facts = isUntouched ? [vscode.l10n.t('not started')] : [stepState(step), time, step.error];
  return { label, description: parts(facts).join(' · ') };
}

function stepState(step: ProvisioningStep): string {
  if (step.status !== undefined && step.status !== '') return oneLine(step.status, 60);
  if (isRunning(step)) return vscode.l10n.t('running');
  return vscode.l10n.t('no status reported');
}

export function providerLabel(providerType: string): string {
  return providerType === 'byom' ? vscode.l10n.t('own machine') : oneLine(providerType);
}

function parts(texts: readonly (string | undefined)[]): string[] {
  return texts.map(text => oneLine(text ?? '')).filter(text => text !== '');
}
