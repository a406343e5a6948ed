import { parse } from 'jsonc-parser';

/** Event kinds whose hooks can be installed (section 6); the service may know others. */
export const eventNames = ['Notification', 'Stop', 'SubagentStop', 'SessionEnd'] as const;
export type EventName = (typeof eventNames)[number];

/** Events installed unless the person chooses otherwise. */
export const usualEvents: readonly EventName[] = ['Notification', 'Stop', 'SessionEnd'];

/** Bytes of an event that are kept; the command writes one more when there was more. */
export const EVENT_CAP = 32 * 1024;

/** Older events never pop up (trust.md 38). */
export const FRESH_MS = 10 * 60_000;

/** Sessions of test events; never shown as sessions. */
export const TEST_SESSION = 'agent-console-test-';

/** One event as it came from a hook. All texts are foreign. */
export interface HookEvent {
  /** Name of its file; the same for all windows, and later events have later names. */
  readonly id: string;
  readonly name: string;
  /** When it was written, Unix ms. */
  readonly at: number;
  readonly sessionId?: string | undefined;
  readonly cwd?: string | undefined;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
}

/**
 * Reads what a hook received; `undefined` when it is no event. An event longer than the cap arrives cut off, and is read as
 * far as it goes.
 */
export function decodeEvent(id: string, bytes: Uint8Array, at: number): HookEvent | undefined {
  const value = readObject(bytes);
  if (value === undefined) return undefined;
  const name = text(value['hook_event_name'], 100);
  if (name === undefined) return undefined;
  return {
    id,
    name,
    at,
    sessionId: text(value['session_id'], 500),
    cwd: text(value['cwd'], 4_096),
    message: text(value['message'], 2_000),
    reason: text(value['reason'], 200),
  };
}

function readObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  const source = Buffer.from(bytes.subarray(0, EVENT_CAP))
    .toString('utf8')
    .replace(/^\ufeff/, '');
  let value: unknown;
  try {
    value = bytes.length > EVENT_CAP ? parse(source) : JSON.parse(source);
  } catch {
    return undefined;
  }
  return isObject(value) ? value : undefined;
}

/** What an event says of its session; `undefined` for kinds that say nothing of it. */
export function stateOf(event: HookEvent): 'waiting' | 'finished' | 'ended' | undefined {
  switch (event.name) {
    case 'Notification':
      return 'waiting';
    case 'Stop':
      return 'finished';
    case 'SessionEnd':
      return 'ended';
    default:
      return undefined;
  }
}

export function isTest(event: HookEvent): boolean {
  return event.sessionId?.startsWith(TEST_SESSION) ?? false;
}

/** What a window tells the others of itself. */
export interface WindowPresence {
  readonly id: string;
  /** Absolute real paths of its folders. */
  readonly folders: readonly string[];
  readonly focused: boolean;
  /** When it last had the focus, Unix ms; 0 for never. */
  readonly focusedAt: number;
}

/**
 * The place of window `id` in the order in which windows may take an event: the longest folder that holds `cwd` first, then
 * the focused one, then the one last focused (trust.md 38). `fold` makes paths comparable where case does not count.
 */
export function rankOf(
  id: string,
  windows: readonly WindowPresence[],
  cwd: string | undefined,
  fold: (path: string) => string = path => path,
): number {
  const length = (window: WindowPresence): number =>
    cwd === undefined
      ? 0
      : Math.max(0, ...window.folders.map(folder => prefixLength(fold(folder), fold(cwd))));
  const order = windows
    .map(window => ({ window, length: length(window) }))
    .sort(
      (a, b) =>
        b.length - a.length ||
        Number(b.window.focused) - Number(a.window.focused) ||
        b.window.focusedAt - a.window.focusedAt ||
        (a.window.id < b.window.id ? -1 : 1),
    );
  return Math.max(
    0,
    order.findIndex(({ window }) => window.id === id),
  );
}

/** Length of `folder` when it is `path` or holds it, else 0. */
function prefixLength(folder: string, path: string): number {
  const base = folder.replace(/[/\\]+$/, '');
  const inside = path === base || path.startsWith(`${base}/`) || path.startsWith(`${base}\\`);
  return inside || folder === path ? folder.length : 0;
}

/** Per session, what the person has settled. */
export interface SessionNote {
  readonly sessionId: string;
  readonly muted?: boolean | undefined;
  /** Events up to this time no longer ask for attention, Unix ms. */
  readonly clearedAt?: number | undefined;
  /** When this was noted, Unix ms. */
  readonly at: number;
}

export function decodeNote(value: unknown): SessionNote {
  if (!isObject(value) || typeof value['sessionId'] !== 'string' || typeof value['at'] !== 'number')
    throw new Error('not a note about a session');
  return value as unknown as SessionNote;
}

/** Of each session that waits and is not muted, the event that says so; the longest waiting first. */
export function waitingEvents(
  history: Iterable<HookEvent>,
  note: (sessionId: string) => SessionNote | undefined,
): HookEvent[] {
  const latest = new Map<string, HookEvent>();
  for (const event of history) {
    const { sessionId } = event;
    if (sessionId === undefined || stateOf(event) === undefined || isTest(event)) continue;
    const known = latest.get(sessionId);
    if (known === undefined || isLater(event, known)) latest.set(sessionId, event);
  }
  return [...latest.values()]
    .filter(event => stateOf(event) === 'waiting')
    .filter(event => {
      const settled = note(event.sessionId ?? '');
      return settled?.muted !== true && event.at > (settled?.clearedAt ?? 0);
    })
    .sort((a, b) => a.at - b.at);
}

export function isLater(event: HookEvent, than: HookEvent): boolean {
  return event.at > than.at || (event.at === than.at && event.id > than.id);
}

/**
 * When the work that ended with this event began at the earliest: after the session's work before it had ended. `undefined`:
 * nobody knows; what the agent told meanwhile was told during the work.
 */
export function startOf(event: HookEvent, history: Iterable<HookEvent>): number | undefined {
  let latest: HookEvent | undefined;
  for (const other of history) {
    if (other.sessionId !== event.sessionId || (other.name !== 'Stop' && other.name !== 'SessionEnd'))
      continue;
    if (isLater(event, other) && (latest === undefined || isLater(other, latest))) latest = other;
  }
  return latest?.at;
}

/** The folder that the session was last in, as far as its events tell. */
export function folderOf(sessionId: string, history: Iterable<HookEvent>): string | undefined {
  let latest: HookEvent | undefined;
  for (const event of history) {
    if (event.sessionId !== sessionId || event.cwd === undefined) continue;
    if (latest === undefined || isLater(event, latest)) latest = event;
  }
  return latest?.cwd;
}

/** Whether the work that ended with this event was surely shorter than `minimumMs`. */
export function isShort(event: HookEvent, minimumMs: number, startedAt: number | undefined): boolean {
  return startedAt !== undefined && event.at - startedAt < minimumMs;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown, maxLength: number): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, maxLength) : undefined;
}
