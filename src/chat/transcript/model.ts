import { isHidden, textOf, timeOf, type KnownMessage } from './messages';
import type { Entry } from '../outbox/record';

/**
 * Messages in reading order: a parent always before its children, otherwise by time, those
 * of unknown time last, then by id. Loops among parents are cut.
 */
export function inOrder(known: ReadonlyMap<string, KnownMessage>): KnownMessage[] {
  const last = (entry: KnownMessage): number => timeOf(entry) ?? Number.MAX_VALUE;
  const byTime = [...known.values()].sort((a, b) => last(a) - last(b) || compare(a.id, b.id));
  const placed = new Set<string>();
  const ordered: KnownMessage[] = [];
  for (const message of byTime) {
    const chain: KnownMessage[] = [];
    const seen = new Set<string>();
    let next: KnownMessage | undefined = message;
    while (next !== undefined && !placed.has(next.id) && !seen.has(next.id)) {
      chain.push(next);
      seen.add(next.id);
      const parentId: string | undefined = next.message?.parentId;
      next = parentId === undefined ? undefined : known.get(parentId);
    }
    for (const link of chain.reverse()) {
      placed.add(link.id);
      ordered.push(link);
    }
  }
  return ordered;
}

/** Whether this text was sent from here at that time (Unix ms) or later. */
export function wasSentSince(known: Iterable<KnownMessage>, text: string, at: number): boolean {
  return [...known].some(({ sent }) => sent?.text === text && sent.at >= at);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A message id worth asking for, and the known message that names it. */
export interface Frontier {
  readonly ask: string;
  /** The message whose parent it is, or the same id when its own body was never read. */
  readonly below: string;
}

/** Where the ancestor walk can go on: bodies never read, then parents not known; the newest first. */
export function frontiers(known: ReadonlyMap<string, KnownMessage>): Frontier[] {
  const found = new Map<string, Frontier>();
  for (const entry of inOrder(known).reverse()) {
    const ask = entry.message === undefined ? entry.id : entry.message.parentId;
    if (ask === undefined || found.has(ask)) continue;
    if (entry.message !== undefined && known.has(ask)) continue;
    found.set(ask, { ask, below: entry.id });
  }
  return [...found.values()];
}

/** The body of a known message may be shown to a person. */
export function isShown(known: KnownMessage): boolean {
  return known.message === undefined ? known.sent !== undefined : !isHidden(known.message);
}

/** Clocks of service and host may differ by this much, ms. */
const CLOCK_SKEW = 10 * 60_000;

/**
 * The message an unanswered send became, if a message read later shows it: a user message with the same text, made after the
 * state of the session that was known before the send, and not the result of another send.
 */
export function arrivedAs(send: Entry, known: Iterable<KnownMessage>): string | undefined {
  for (const { id, message, sent } of known) {
    if (message?.role !== 'user' || sent !== undefined || isHidden(message)) continue;
    const { createdAt = -Infinity } = message;
    const after =
      send.before?.updatedAt === undefined
        ? createdAt >= send.at - CLOCK_SKEW
        : createdAt > send.before.updatedAt;
    if (after && textOf(message) === send.text) return id;
  }
  return undefined;
}

/** Own messages that can be called up again. */
const MOST_HISTORY = 200;

/** What the person sent in a session, as far as known: the latest first, each text once. */
export function ownTexts(known: ReadonlyMap<string, KnownMessage>): readonly string[] {
  const own = inOrder(known).flatMap(entry => {
    const { message, sent } = entry;
    if (message === undefined) return sent === undefined ? [] : [sent.text];
    return message.role === 'user' && isShown(entry) ? [textOf(message)] : [];
  });
  return [...new Set(own.reverse().filter(text => text.trim() !== ''))].slice(0, MOST_HISTORY);
}
