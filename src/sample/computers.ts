import { DAY_MS, dayOf, seeded } from './random';

/** A computer; the fields that are left open are those of interface 2.10. */
export interface Computer {
  readonly id: string;
  readonly status?: string;
  readonly [field: string]: unknown;
}

interface ProvisioningStep {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly error?: string;
  /** Unix ms, as all times here. */
  readonly startedAt?: number;
  readonly completedAt?: number;
}

interface Description {
  readonly name: string;
  readonly provider: 'byom' | 'cloud';
  /** Days since it was made, when the sample was first used; `undefined` for the one that is being made. */
  readonly age?: number;
  readonly status?: string;
  /** Only the required fields are known. */
  readonly bare?: boolean;
}

const DESCRIPTIONS: readonly Description[] = [
  { name: 'atlas', provider: 'cloud', age: 96 },
  { name: 'boreal', provider: 'cloud' },
  { name: 'cinder', provider: 'cloud', age: 2, status: 'error' },
  { name: 'dune', provider: 'byom', age: 41 },
  { name: 'ember', provider: 'cloud', age: 18, status: 'paused' },
  { name: 'fjord', provider: 'byom', age: 7, bare: true },
];

/** Ids, names and seconds (at pace 1) of the steps a new computer goes through; 40 seconds in all. */
const STEPS: readonly (readonly [id: string, name: string, seconds: number])[] = [
  ['create-computer', 'Create computer', 9],
  ['start-machine', 'Start machine', 7],
  ['clone-repositories', 'Clone repositories', 12],
  ['install-agent', 'Install agent', 8],
  ['connect', 'Connect', 4],
];

const QUOTA = `Quota exceeded: 4 of 4 hosted computers are in use.
Remove a computer that is no longer needed, or ask an administrator to raise the limit.
provider answer: {"code":"RESOURCE_EXHAUSTED","scope":"organization","limit":4}`;

export function computerIdOf(seed: string, name: string): string {
  return seeded(seed, 'computer', name).uuid();
}

/** When the sample was first used, and its computers first asked for; Unix ms. */
interface Begun {
  readonly usedAt: number;
  readonly seenAt: number;
}

/** The organization's computers. The one being made advances with the clock from the moment they are first asked for. */
export function computersOf(
  seed: string,
  { usedAt, seenAt }: Begun,
  now: number,
  pace: number,
): readonly Computer[] {
  return DESCRIPTIONS.map(({ name, provider, age, status = 'active', bare }) => {
    const random = seeded(seed, 'computer', name);
    const id = random.uuid();
    const made = (dayOf(usedAt) - (age ?? 0)) * DAY_MS + random.int(6 * 3600, 17 * 3600) * 1000;
    const common = { id, name, providerType: provider, createdAt: age === undefined ? seenAt : made };
    if (bare === true) return common;
    if (status === 'error') return { ...common, status, provisioningSteps: failedSteps(made) };
    const relay = `wss://relay.sample.invalid/${random.hex(12)}`;
    const connected = {
      hostname: `${name}.computers.acme.example`,
      relayClientUrl: `${relay}/client?token=${random.hex(32)}`,
      relayAgentUrl: `${relay}/agent?token=${random.hex(32)}`,
      remoteUser: provider === 'byom' ? 'builder' : 'agent',
    };
    if (age !== undefined) return { ...common, status, ...connected };
    const provisioningSteps = stepsSince(seenAt, now, pace);
    return provisioningSteps.every(step => step.status === 'completed')
      ? { ...common, status, provisioningSteps, ...connected }
      : { ...common, status: 'provisioning', provisioningSteps };
  });
}

function stepsSince(start: number, now: number, pace: number): ProvisioningStep[] {
  let from = start;
  return STEPS.map(([id, name, seconds]) => {
    const startedAt = from;
    const completedAt = (from = Math.round(startedAt + seconds * 1000 * pace));
    if (now >= completedAt) return { id, name, status: 'completed', startedAt, completedAt };
    return now >= startedAt ? { id, name, status: 'running', startedAt } : { id, name, status: 'pending' };
  });
}

/** Whether agents can work on it; a computer that does not tell its status may be tried. */
export function isUsable(computer: Computer): boolean {
  return computer.status === undefined || computer.status === 'active';
}

function failedSteps(createdAt: number): ProvisioningStep[] {
  return STEPS.map(([id, name], index) => {
    if (index === 0) {
      return { id, name, status: 'completed', startedAt: createdAt, completedAt: createdAt + 8_400 };
    }
    if (index > 1) return { id, name, status: 'pending' };
    const startedAt = createdAt + 8_400;
    return { id, name, status: 'error', error: QUOTA, startedAt, completedAt: startedAt + 31_000 };
  });
}
