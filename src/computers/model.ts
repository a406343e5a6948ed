import { computerName, type Computer, type ProvisioningStep } from '../api';
import { supportedLanguage } from '../util/format';
import type { Icon } from '../ui/text';

/** How a provisioning step stands. `stopped`: it ended, or never began, without having failed. */
type StepState = 'done' | 'failed' | 'stopped' | 'running' | 'waiting';

/**
 * What the service's word for a step sounds like. The words are not documented (section 2.10), so these are only looked for to
 * say less: no other word makes a step done.
 */
const FAILED = /fail|error|crash|reject|refus|denied|invalid|time[-_ ]?d?[-_ ]?out/i;
const STOPPED =
  /cancel|abort|skip|stop|interrupt|terminat|kill|expire|incomplete|not[-_ ]?(run|start|complete)/i;
const UNFINISHED = /^(pending|queued|waiting|scheduled|starting|started|running|in[-_ ]?progress)$/i;

/** A step is done when the service says when it was completed, names no error, and calls it nothing else. */
export function stepState({ status = '', error = '', startedAt, completedAt }: ProvisioningStep): StepState {
  if (error !== '' || FAILED.test(status)) return 'failed';
  if (STOPPED.test(status)) return 'stopped';
  if (completedAt === undefined) return startedAt === undefined ? 'waiting' : 'running';
  return UNFINISHED.test(status.trim()) ? 'waiting' : 'done';
}

/** The computer failed before this step began: nothing waits for it any more. */
export function isUntouched({ status }: Computer, step: ProvisioningStep): boolean {
  const hasBegun = step.startedAt !== undefined || step.completedAt !== undefined;
  return status === 'error' && !hasBegun && stepState(step) !== 'failed';
}

/** How far a computer's set-up is: steps done of all. `undefined` when the service names no steps. */
export function progressOf({
  provisioningSteps: steps = [],
}: Computer): { readonly done: number; readonly all: number } | undefined {
  if (steps.length === 0) return undefined;
  return { done: steps.filter(step => stepState(step) === 'done').length, all: steps.length };
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
  const { compare } = new Intl.Collator(supportedLanguage(language), { numeric: true });
  return computers.toSorted((a, b) => compare(computerName(a), computerName(b)) || a.id.localeCompare(b.id));
}

const ICONS: ReadonlyMap<string, Icon> = new Map([
  ['active', { id: 'vm-active', color: 'charts.green' }],
  ['provisioning', { id: 'vm-outline' }],
  ['error', { id: 'vm', color: 'list.errorForeground' }],
]);

/** Codicon for a computer's state. Colour never stands alone: the state is also in the description. */
export function iconOf({ status = '' }: Computer): Icon {
  return ICONS.get(status) ?? { id: 'vm' };
}

/** Codicons of provisioning steps. */
export const stepIcons: Readonly<Record<StepState, Icon>> = {
  failed: { id: 'error', color: 'list.errorForeground' },
  stopped: { id: 'circle-slash' },
  done: { id: 'check', color: 'charts.green' },
  running: { id: 'sync~spin' },
  waiting: { id: 'circle-outline' },
};

export function isSettingUp({ status }: Computer): boolean {
  return status === 'provisioning';
}
