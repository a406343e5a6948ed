import script from './controls.txt';
import type { Member } from './people';
import { DAY_MS, EARLIEST_DAY, seeded, type Random } from './random';

/** An entry of the control history (interface 2.12); `settings` is the whole state after the change. */
export interface ControlChange {
  readonly revision: number;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  readonly updatedAt: string;
}

type Step = Readonly<Record<string, unknown>>;

/** About one a week: 45 by 20 November 2026. */
const INTERVAL_MS = Math.round(7.04 * DAY_MS);

/** Every revision up to `now`, the newest first. Old ones never change. */
export function controlHistory(seed: string, admins: readonly Member[], now: number): ControlChange[] {
  const known = steps(seeded(seed, 'controls'));
  const changes: ControlChange[] = [];
  let settings: Record<string, unknown> = {};
  for (let revision = 1; ; revision++) {
    const random = seeded(seed, 'revision', revision);
    const at =
      EARLIEST_DAY * DAY_MS +
      (revision - 1) * INTERVAL_MS +
      random.int(8, 13) * 3600_000 +
      random.int(0, 3_599_999);
    if (at > now) break;
    settings = apply(settings, known[revision - 1] ?? later(revision));
    const admin = admins[random.int(0, admins.length - 1)];
    changes.push({
      revision,
      settings,
      user: {
        id: admin?.id ?? '',
        email: admin?.email ?? '',
        name: `${admin?.firstName ?? ''} ${admin?.lastName ?? ''}`.trim(),
      },
      updatedAt: new Date(at).toISOString(),
    });
  }
  return changes.reverse();
}

/** What goes on changing after the script is through. */
function later(revision: number): Step {
  return { sessionRetentionDays: [30, 60, 90][revision % 3], enableAgentShield: revision % 2 === 0 };
}

function apply(settings: Readonly<Record<string, unknown>>, step: Step): Record<string, unknown> {
  const result = structuredClone(settings) as Record<string, unknown>;
  for (const [path, value] of Object.entries(step)) {
    const names = path.split('.');
    const last = names.pop() ?? path;
    let place = result;
    for (const name of names) {
      const inner = place[name];
      place =
        typeof inner === 'object' && inner !== null
          ? (inner as Record<string, unknown>)
          : (place[name] = {} as Record<string, unknown>);
    }
    if (value === null) Reflect.deleteProperty(place, last);
    else place[last] = value;
  }
  return result;
}

/** A line a revision: dotted paths and their values, null takes a setting away; `{secret}` and `{user}` are made up. */
function steps(random: Random): readonly Step[] {
  const made = (kind: string): string => `${kind === 'user' ? 'user_' : 'sample-secret-'}${random.hex(22)}`;
  return script
    .trim()
    .split('\n')
    .map(line => JSON.parse(line.replace(/\{(secret|user)\}/g, (_, kind: string) => made(kind))) as Step);
}
