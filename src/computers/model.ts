import type { Computer, ProvisioningStep } from '../api';
import { supportedLanguage } from '../util/format';

/** How far a computer's set-up is: steps done of all. `undefined` when the service names no steps. */
export function progressOf(computer: Computer): { readonly done: number; readonly all: number } | undefined {
  const steps = computer.provisioningSteps ?? [];
  if (steps.length === 0) return undefined;
  return { done: steps.filter(isDone).length, all: steps.length };
}

/** A step counts as done when the service says when it was completed and names no error. */
export function isDone(step: ProvisioningStep): boolean {
  return step.completedAt !== undefined && !hasFailed(step);
}

export function hasFailed(step: ProvisioningStep): boolean {
  return (step.error ?? '') !== '';
}

export function isRunning(step: ProvisioningStep): boolean {
  return step.startedAt !== undefined && step.completedAt === undefined && !hasFailed(step);
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
  return computer.provisioningSteps?.find(hasFailed)?.error;
}

/** By name, in the person's language, then by id: the service promises no order. */
export function sortComputers(computers: readonly Computer[], language: string): Computer[] {
  const collator = new Intl.Collator(supportedLanguage(language), { numeric: true });
  return [...computers].sort((a, b) => collator.compare(a.name, b.name) || a.id.localeCompare(b.id));
}

/** Codicon for a computer's state. Colour never stands alone: the state is also in the description. */
export function iconOf(computer: Computer): { readonly id: string; readonly color?: string } {
  switch (computer.status) {
    case 'active':
      return { id: 'vm-active', color: 'charts.green' };
    case 'provisioning':
      return { id: 'vm-connect' };
    case 'error':
      return { id: 'vm-outline', color: 'list.errorForeground' };
    default:
      return { id: 'vm' };
  }
}

/** Codicon for a provisioning step. */
export function stepIconOf(step: ProvisioningStep): { readonly id: string; readonly color?: string } {
  if (hasFailed(step)) return { id: 'error', color: 'list.errorForeground' };
  if (isDone(step)) return { id: 'check', color: 'charts.green' };
  if (isRunning(step)) return { id: 'sync~spin' };
  return { id: 'circle-outline' };
}

/** Milliseconds until the list is read again: soon while something is being set up. */
export function nextListing(computers: readonly Computer[], usualMs: number): number {
  return computers.some(computer => computer.status === 'provisioning') ? Math.min(3_000, usualMs) : usualMs;
}
