import * as vscode from 'vscode';
import { computerName, type Computer, type ProvisioningStep } from '../api';
import type { SessionsFor } from '../shared';
import { card, factLines, factsDocument, format, joined, type Fact, type Icon } from '../ui/text';
import type { Row, TreeNode } from '../ui/tree';
import { supportedLanguage } from '../util/format';
import { oneLine } from '../util/text';

export type SessionsOfComputers = SessionsFor<'ofComputer' | 'onDidChange'>;
/** A session as a row below its computer. */
export type SessionOfComputer = ReturnType<SessionsOfComputers['ofComputer']>[number];

export interface ComputerRowContext {
  /** When what is known was told, where nobody knows how the computer stands now; Unix ms. */
  readonly unknownSince?: number | undefined;
  readonly sessions?: readonly SessionOfComputer[] | undefined;
}

/** A computer with its provisioning steps and its sessions below. */
export function computerNode(computer: Computer, context: ComputerRowContext): TreeNode {
  const { id: computerId } = computer;
  const { sessions = [] } = context;
  const steps = computer.provisioningSteps ?? [];
  const isOpen = steps.length > 0 && (computer.status === 'provisioning' || computer.status === 'error');
  const row = (): Row => {
    const label = computerName(computer);
    const state = stateText(computer, context.unknownSince);
    const provider = providerLabel(computer.providerType);
    const facts = [
      state,
      computer.status === 'error' ? errorOf(computer) : undefined,
      provider,
      computer.hostname === label ? undefined : computer.hostname,
    ];
    const description = joined(facts.map(fact => fact && oneLine(fact)));
    return {
      label,
      description,
      icon: iconOf(computer, context.unknownSince),
      context: 'computer',
      open: steps.length > 0 || sessions.length > 0 ? isOpen : undefined,
      spoken: vscode.l10n.t('Computer {0}, {1}', label, description),
      tooltip: () =>
        card(label, [joined([state, provider]), errorOf(computer), ...factLines(factsOf(computer))]),
    };
  };
  return {
    // A set-up that is over is another row, which is closed.
    id: `computer/${computerId}${isOpen ? '/open' : ''}`,
    kind: 'computer',
    ...{ computerId },
    row,
    children: () => {
      const ofSteps = steps.map((step, index) => stepNode(computer, step, index));
      const ofSessions = sessions.map(session => sessionNode(computerId, session));
      // What has been set up long ago is of less interest than what runs there.
      return computer.status === 'active' ? [...ofSessions, ...ofSteps] : [...ofSteps, ...ofSessions];
    },
  };
}

function stepNode(computer: Computer, step: ProvisioningStep, index: number): TreeNode {
  return {
    id: `step/${computer.id}/${index}`,
    kind: 'step',
    row: () => {
      const { label, description } = stepRow(step, index);
      return {
        label,
        description,
        icon: stepIcons[stepState(step)],
        spoken: vscode.l10n.t('Step {0}, {1}', label, description),
        tooltip: () => card(label, [description, ...factLines(stepTimes(step))]),
      };
    },
  };
}

/** Commands of sessions take it as they take a row of their own view. */
function sessionNode(computerId: string, { sessionId, row }: SessionOfComputer): TreeNode {
  return { id: `session/${computerId}/${sessionId}`, kind: 'session', ...{ computerId, sessionId }, row };
}

/** The state in words; a computer being set up says how far it is. One that is not known says what it was, and when. */
export function stateText(computer: Computer, unknownSince?: number): string {
  if (unknownSince !== undefined) {
    const age = format.span(Date.now() - unknownSince);
    return vscode.l10n.t('unknown, was {0} {1} ago', stateText(computer), age);
  }
  const { status } = computer;
  if (status === undefined || status === '') return vscode.l10n.t('status unknown');
  const { provisioningSteps: steps = [] } = computer;
  if (status !== 'provisioning' || steps.length === 0) return oneLine(status, 60);
  const done = steps.filter(step => stepState(step) === 'done').length;
  return vscode.l10n.t('provisioning {0}/{1}', format.number(done), format.number(steps.length));
}

function stepRow(step: ProvisioningStep, index: number) {
  const isRunning = stepState(step) === 'running';
  // How long one took that has ended at an unknown time is not known either.
  const { startedAt, completedAt = isRunning ? Date.now() : undefined } = step;
  const took = startedAt !== undefined && completedAt !== undefined ? completedAt - startedAt : undefined;
  const label = oneLine(step.name ?? step.id ?? '') || vscode.l10n.t('Step {0}', index + 1);
  const unnamed = isRunning ? vscode.l10n.t('running') : vscode.l10n.t('status unknown');
  const facts = [
    oneLine(step.status ?? '', 60) || unnamed,
    // A clock that is ahead makes no negative time.
    took === undefined ? undefined : format.duration(Math.max(0, took)),
    step.error,
  ];
  return { label, description: joined(facts.map(fact => fact && oneLine(fact))) };
}

function providerLabel(providerType: string | undefined): string | undefined {
  return providerType === 'byom' ? vscode.l10n.t('own machine') : providerType && oneLine(providerType);
}

/** What the row does not say of a computer. */
function factsOf({ hostname, remoteUser, createdAt }: Computer): Fact[] {
  const created = createdAt === undefined ? vscode.l10n.t('not known') : format.exact(createdAt);
  return [
    [vscode.l10n.t('Host'), hostname],
    [vscode.l10n.t('Remote user'), remoteUser],
    [vscode.l10n.t('Created'), created],
  ];
}

/** When a step began and ended. */
function stepTimes(step: ProvisioningStep): Fact[] {
  const time = (at?: number): string | undefined => (at === undefined ? undefined : format.exact(at));
  return [
    [vscode.l10n.t('Started'), time(step.startedAt)],
    [vscode.l10n.t('Ended'), time(step.completedAt)],
  ];
}

/** Everything the service tells of a computer (section 2.10): in words, its steps and sessions, then the service's own answer. Relay addresses arrive redacted. */
export function computerDocument(computer: Computer, context: ComputerRowContext): string {
  const { unknownSince, sessions = [] } = context;
  const { provisioningSteps: steps = [] } = computer;
  const facts: Fact[] = [
    [vscode.l10n.t('Status'), stateText(computer, unknownSince)],
    [vscode.l10n.t('Error'), errorOf(computer)],
    [vscode.l10n.t('Provider'), providerLabel(computer.providerType) ?? vscode.l10n.t('not known')],
    ...factsOf(computer),
    [vscode.l10n.t('Relay for clients'), computer.relayClientUrl],
    [vscode.l10n.t('Relay for the agent'), computer.relayAgentUrl],
    [vscode.l10n.t('Id'), computer.id],
  ];
  const ofSteps = steps.map((step, index): Fact => {
    const { label, description } = stepRow(step, index);
    return [label, joined([description, ...factLines(stepTimes(step))])];
  });
  return factsDocument(
    computerName(computer),
    [
      ['', facts],
      [vscode.l10n.t('Steps'), ofSteps],
      [vscode.l10n.t('Sessions'), sessions.map(({ row }): Fact => [row().label, row().description || '–'])],
    ],
    computer,
  );
}

/** How a provisioning step stands. `stopped`: it ended, or never began, without having failed. */
type StepState = 'done' | 'failed' | 'stopped' | 'running' | 'waiting';

/**
 * What the service's word for a step sounds like. The words are not documented (section 2.10), so these are only looked for to
 * say less: no other word makes a step done.
 */
const FAILED = /fail|error|crash|reject|refus|denied|invalid|time[-_ ]?d?[-_ ]?out/i;
const STOPPED =
  /cancel|abort|skip|stop|interrupt|terminat|kill|expire|incomplete|not[-_ ]?(run|start|complete)/i;

/** A step is done when the service says when it was completed, names no error, and calls it neither failed nor stopped. */
export function stepState({ status = '', error = '', startedAt, completedAt }: ProvisioningStep): StepState {
  if (error !== '' || FAILED.test(status)) return 'failed';
  if (STOPPED.test(status)) return 'stopped';
  if (completedAt !== undefined) return 'done';
  return startedAt === undefined ? 'waiting' : 'running';
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

/** Codicons of states. Colour never stands alone: the state is also in the description. */
const stateIcons: ReadonlyMap<string, Icon> = new Map([
  ['active', { id: 'vm-active', color: 'charts.green' }],
  ['provisioning', { id: 'vm-outline' }],
  ['error', { id: 'vm', color: 'list.errorForeground' }],
]);

export function iconOf({ status = '' }: Computer, unknownSince?: number): Icon {
  if (unknownSince !== undefined) return { id: 'question', color: 'charts.yellow' };
  return stateIcons.get(status) ?? { id: 'vm' };
}

const stepIcons: Readonly<Record<StepState, Icon>> = {
  failed: { id: 'error', color: 'list.errorForeground' },
  stopped: { id: 'circle-slash' },
  done: { id: 'check', color: 'charts.green' },
  running: { id: 'sync~spin' },
  waiting: { id: 'circle-outline' },
};

/** While something is being set up the list is read at least so often, ms. */
const SET_UP_MS = 5_000;

/** How often the list is worth reading, ms, where `usualMs` is often enough for computers that are set up. */
export function paceOf(computers: readonly Computer[], usualMs: number): number {
  return computers.some(({ status }) => status === 'provisioning') ? Math.min(usualMs, SET_UP_MS) : usualMs;
}
