import { DAY_MS, dayOf, SEED, seeded } from './random';

/** A computer; the fields that are left open are those of interface 2.10. */
export interface Computer {
  readonly id: string;
  readonly status?: string;
  readonly [field: string]: unknown;
}

/** `age` is in days since it was made, when the sample was first used; one is being made then. */
const DESCRIPTIONS = [
  { name: 'atlas', provider: 'cloud', age: 96, status: 'active' },
  { name: 'boreal', provider: 'cloud', age: 0, status: 'provisioning' },
  { name: 'cinder', provider: 'cloud', age: 2, status: 'error' },
  { name: 'dune', provider: 'byom', age: 41, status: 'active' },
  { name: 'ember', provider: 'cloud', age: 18, status: 'paused' },
  // Only the required fields are known.
  { name: 'fjord', provider: 'byom', age: 7, status: undefined },
] as const;

/** Ids, names and seconds (at pace 1) of the steps a new computer goes through; 40 seconds in all. */
const STEPS = [
  ['create-computer', 'Create computer', 9],
  ['start-machine', 'Start machine', 7],
  ['clone-repositories', 'Clone repositories', 12],
  ['install-agent', 'Install agent', 8],
  ['connect', 'Connect', 4],
] as const;

const QUOTA = `Quota exceeded: 4 of 4 hosted computers are in use.
Remove a computer that is no longer needed, or ask an administrator to raise the limit.
provider answer: {"code":"RESOURCE_EXHAUSTED","scope":"organization","limit":4}`;

export function computerIdOf(name: string): string {
  return seeded(SEED, 'computer', name).uuid();
}

/** When the sample was first used, and its computers first asked for; Unix ms. */
interface Begun {
  readonly usedAt: number;
  readonly seenAt: number;
}

/** The organization's computers. The one being made advances with the clock from the moment they are first asked for. */
export function computersOf({ usedAt, seenAt }: Begun, now: number, pace: number): readonly Computer[] {
  return DESCRIPTIONS.map(({ name, provider: providerType, age, status }): Computer => {
    const random = seeded(SEED, 'computer', name);
    const id = random.uuid();
    const made = (dayOf(usedAt) - age) * DAY_MS + random.int(6 * 3600, 17 * 3600) * 1000;
    const isNew = status === 'provisioning';
    const common = { id, name, providerType, createdAt: isNew ? seenAt : made };
    if (status === undefined) return common;
    if (status === 'error') return { ...common, status, provisioningSteps: failedSteps(made) };
    const relay = `wss://relay.sample.invalid/${random.hex(12)}`;
    const connected = {
      hostname: `${name}.computers.acme.example`,
      relayClientUrl: `${relay}/client?token=${random.hex(32)}`,
      relayAgentUrl: `${relay}/agent?token=${random.hex(32)}`,
      remoteUser: providerType === 'byom' ? 'builder' : 'agent',
    };
    if (!isNew) return { ...common, status, ...connected };
    const provisioningSteps = stepsSince(seenAt, now, pace);
    return provisioningSteps.every(step => step.status === 'completed')
      ? { ...common, status: 'active', provisioningSteps, ...connected }
      : { ...common, status, provisioningSteps };
  });
}

function stepsSince(start: number, now: number, pace: number) {
  let from = start;
  return STEPS.map(([id, name, seconds]) => {
    const startedAt = from;
    const completedAt = (from = Math.round(startedAt + seconds * 1000 * pace));
    if (now >= completedAt) return { id, name, status: 'completed', startedAt, completedAt };
    return now >= startedAt ? { id, name, status: 'running', startedAt } : { id, name, status: 'pending' };
  });
}

/** As far as the second, which failed. */
function failedSteps(start: number) {
  return stepsSince(start, start + 10_000, 1).map(step =>
    step.status === 'running'
      ? { ...step, status: 'error', error: QUOTA, completedAt: start + 40_000 }
      : step,
  );
}

/** Whether agents can work on it; a computer that does not tell its status may be tried. */
export function isUsable({ status }: Computer): boolean {
  return status === undefined || status === 'active';
}
