import { computerName, type Computer, type ProvisioningStep } from '../api';
import { supportedLanguage } from '../util/format';

/** How far a computer's set-up is: steps done of all. `undefined` when the service names no steps. */
export function progressOf(computer: Computer): { readonly done: number; readonly all: number } | undefined {
  const steps = computer.provisioningSteps ?? [];
  if (steps.length === 0) return undefined;
  return { done: steps.filter(isDone).length, all: steps.length };
}

/**
 * What the service's word for a step sounds like. The words are not documented (section 2.10), so these are only looked for to
 * say less: no other word makes a step done.
 */
const FAILED = /fail|error|crash|reject|refus|denied|invalid|time[-_ ]?d?[-_ ]?out/i;
const STOPPED =
  /cancel|abort|skip|stop|interrupt|terminat|kill|expire|incomplete|not[-_ ]?(run|start|complete)/i;
const UNFINISHED = /^(pending|queued|waiting|scheduled|starting|started|running|in[-_ ]?progress)$/i;

/** A step counts as done when the service says when it was completed, names no error, and calls it nothing else. */
export function isDone(step: ProvisioningStep): boolean {
  const isElse = wasStopped(step) || UNFINISHED.test(step.status?.trim() ?? '');
  return step.completedAt !== undefined && !hasFailed(step) && !isElse;
}

export function hasFailed(step: ProvisioningStep): boolean {
  return (step.error ?? '') !== '' || FAILED.test(step.status ?? '');
}

/** It ended, or never began, without having failed: somebody or something stopped it. */
function wasStopped(step: ProvisioningStep): boolean {
  return !hasFailed(step) && STOPPED.test(step.status ?? '');
}

export function isRunning(step: ProvisioningStep): boolean {
  const hasBegun = step.startedAt !== undefined && step.completedAt === undefined;
  return hasBegun && !hasFailed(step) && !wasStopped(step);
}

/** The computer failed before this step began: nothing waits for it any more. */
export function isUntouched(computer: Computer, step: ProvisioningStep): boolean {
  const hasBegun = step.startedAt !== undefined || step.completedAt !== undefined || hasFailed(step);
  return computer.status === 'error' && !hasBegun;
}

/** Milliseconds a step took, or has taken so far; `undefined` before it began. */
export function durationOf(step: ProvisioningStep, now: number): number | undefined {
  if (step.startedAt === undefined) return undefined;
  return Math.max(0, (step.completedAt ?? now) - step.startedAt);
}

/** The first error among the steps: why a computer is in state `error`. */
export function errorOf(computer: Computer): string | undefined {
  return computer.provisioningSteps?.find(step => (step.error ?? '') !== '')?.error;
}

/** By name, in the person's language, then by id: the service promises no order. */
export function sortComputers(computers: readonly Computer[], language: string): Computer[] {
  const collator = new Intl.Collator(supportedLanguage(language), { numeric: true });
  return [...computers].sort(
    (a, b) => collator.compare(computerName(a), computerName(b)) || a.id.localeCompare(b.id),
  );
}

/** Codicon for a computer's state. Colour never stands alone: the state is also in the description. */
export function iconOf(computer: Computer): { readonly id: string; readonly color?: string } {
  switch (computer.status) {
    case 'active':
      return { id: 'vm-active', color: 'charts.green' };
    case 'provisioning':
      return { id: 'vm-outline' };
    case 'error':
      return { id: 'vm', color: 'list.errorForeground' };
    default:
      return { id: 'vm' };
  }
}

/** Codicon for a provisioning step. */
export function stepIconOf(step: ProvisioningStep): { readonly id: string; readonly color?: string } {
  if (hasFailed(step)) return { id: 'error', color: 'list.errorForeground' };
  if (wasStopped(step)) return { id: 'circle-slash' };
  if (isDone(step)) return { id: 'check', color: 'charts.green' };
  if (isRunning(step)) return { id: 'sync~spin' };
  return { id: 'circle-outline' };
}

export function isSettingUp({ status }: Computer): boolean {
  return status === 'provisioning';
}
