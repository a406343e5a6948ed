import * as path from 'node:path';
import { parse } from 'jsonc-parser';
import * as z from 'zod/mini';
import type { IDisposable } from '../util/disposable';
import type { Event } from '../util/event';

/** Event kinds whose hooks can be installed (interface.md section 6); the client may know others. */
export const eventNames = ['Notification', 'Stop', 'SubagentStop', 'SessionEnd'] as const;
export type EventName = (typeof eventNames)[number];

/** Events installed unless the person chooses otherwise. */
export const usualEvents: readonly EventName[] = ['Notification', 'Stop', 'SessionEnd'];

/** Bytes of an event that are kept; the command writes one more when there was more. */
export const EVENT_CAP = 32 * 1024;

/** Older events never pop up (trust.md 38), ms. */
export const FRESH_MS = 10 * 60_000;

/** Sessions of test events; never shown as sessions. */
export const TEST_SESSION = 'agent-console-test-';

/** One event as a window took it. All texts are foreign. */
export const hookEvent = z.object({
  /** Name of its file; the same for all windows, and later events have later names. */
  id: z.string(),
  name: z.string(),
  /** When it was written, Unix ms. */
  at: z.number(),
  sessionId: z.optional(z.string()),
  cwd: z.optional(z.string()),
  message: z.optional(z.string()),
  reason: z.optional(z.string()),
  /** The person's own commands run on it in the window that took it. */
  hasRun: z.optional(z.boolean()),
});
export type HookEvent = Readonly<z.infer<typeof hookEvent>>;

/** Reads what a hook received, one that was cut off at the cap as far as it goes; `undefined` when it is no event. */
export function decodeEvent(id: string, bytes: Uint8Array, at: number): HookEvent | undefined {
  const source = Buffer.from(bytes.subarray(0, EVENT_CAP)).toString('utf8');
  let value: unknown;
  try {
    value = parse(source.replace(/^\ufeff/, ''));
  } catch {
    // Nested deeper than it can be read.
  }
  const { data = {} } = z.record(z.string(), z.unknown()).safeParse(value);
  const text = (field: string, maxLength: number): string | undefined => {
    const said = data[field];
    return typeof said === 'string' && said !== '' ? said.slice(0, maxLength) : undefined;
  };
  const name = text('hook_event_name', 100);
  if (name === undefined) return undefined;
  const [sessionId, cwd] = [text('session_id', 500), text('cwd', 4_096)];
  return { id, name, at, sessionId, cwd, message: text('message', 2_000), reason: text('reason', 200) };
}

const kinds = {
  Notification: 'waiting',
  Stop: 'finished',
  SubagentStop: 'subagentFinished',
  SessionEnd: 'ended',
} as const satisfies Record<EventName, string>;

/** What an event is about; `undefined` for those this extension knows nothing of. */
export function kindOf({ name }: Pick<HookEvent, 'name'>): (typeof kinds)[EventName] | undefined {
  return Object.hasOwn(kinds, name) ? kinds[name as EventName] : undefined;
}

/** What an event says of its session; `undefined` for kinds that say nothing of it. */
export function stateOf(event: HookEvent): HookSignal['kind'] | undefined {
  const kind = kindOf(event);
  return kind === 'subagentFinished' ? undefined : kind;
}

export function isTest(event: HookEvent): boolean {
  return event.sessionId?.startsWith(TEST_SESSION) ?? false;
}

/** The later of two events, the order of all lists. */
export function byTime(a: HookEvent, b: HookEvent): number {
  return a.at - b.at || (a.id < b.id ? -1 : 1);
}

/** How many levels `inner` is below a folder; `undefined` when it is not in it. Paths are compared as the system does. */
export function depthIn(folder: string, inner: string): number | undefined {
  const isSame = process.platform === 'win32' || process.platform === 'darwin';
  const [from, to] = isSame ? [folder.toLowerCase(), inner.toLowerCase()] : [folder, inner];
  const way = path.relative(from, to);
  if (way === '') return 0;
  const [first = '', ...deeper] = way.split(path.sep);
  return first === '..' || path.isAbsolute(way) ? undefined : 1 + deeper.length;
}

/** What a hook told of a session; the shape the sessions take (interface-notes 5). */
export interface HookSignal {
  readonly sessionId: string;
  readonly kind: 'waiting' | 'finished' | 'ended';
  /** Unix ms. */
  readonly at: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly cwd?: string | undefined;
}

/** What the hooks need of the sessions. That an agent waits is known there alone, for rows, badge and bell. */
export interface SessionsForHooks {
  titleOf(sessionId: string): string | undefined;
  /** Notes what a hook told; nothing while nobody is signed in, since nobody knows then whose session it is. */
  signal(signal: HookSignal): Promise<void>;
  /** Sessions whose agents wait, the longest waiting first. */
  waiting(): readonly HookSignal[];
  /** Those a person wants to hear nothing of. */
  muted(): readonly HookSignal[];
  /** The agent does not wait any more, says the person. */
  settle(sessionId: string): Promise<void>;
  isMuted(sessionId: string): boolean;
  setMuted(sessionId: string, muted: boolean): Promise<void>;
  /** Any of this may have changed, in this window or in another. */
  readonly onDidChange: Event<unknown>;
  /** While held, the session is asked about now and then. */
  watch(sessionId: string): IDisposable;
  /** When a session was last known to work, Unix ms. */
  workedAt(sessionId: string): number | undefined;
  /** A session's status has changed; told in one window only. */
  readonly onDidChangeState: Event<{
    readonly sessionId: string;
    readonly from: string;
    readonly to: string;
    readonly at: number;
    readonly waiting?: boolean;
  }>;
}
