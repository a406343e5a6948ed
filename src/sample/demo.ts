import { seeded, type Random } from './random';
import { advance, append, emptySession, type SessionState } from './records';
import { type Exchange, stepsOf } from './script';
import { ONGOING, ORDERS_PNG, STORIES, type Local, type Story } from './stories';

/** At this multiple of the natural pace an answer takes two to three minutes. */
const UNHURRIED = 6;
const REST_MS = 10 * 60_000;
/** It stops going on by itself then, lest it grow without end. */
const MOST_MESSAGES = 400;

/** What sessions are made from. */
export interface Surroundings {
  readonly seed: string;
  /** When the sample was first used, Unix ms. */
  readonly now: number;
  readonly pace: number;
  readonly computerId: (name: string) => string;
}

/** The sessions of the sample as they are when it is first used; one of them is still being worked on. */
export function demoSessions({ seed, now, pace, computerId }: Surroundings): SessionState[] {
  return STORIES.map(story => {
    const random = seeded(seed, 'story', story.title);
    const state = emptySession({
      sessionId: idOf(seed, story),
      computerId: computerId(story.computer),
      createdAt: Math.floor(now - story.minutesAgo * 60_000),
      settings: story.settings,
    });
    state.title = story.title;
    for (const exchange of story === ONGOING ? story.exchanges.slice(0, 1) : story.exchanges) {
      const at = state.messages.length === 0 ? state.createdAt : state.updatedAt + 90_000;
      ask(state, exchange, random, at, pace);
      advance(state, story === ONGOING ? now : Infinity);
    }
    return state;
  });
}

/** What people and hooks have added to a session of the sample on this machine, for whoever first sees it. */
export interface LocalFacts extends Local {
  readonly sessionId: string;
}

export function demoFacts(seed = 'agent-console'): readonly LocalFacts[] {
  return STORIES.map(story => ({ sessionId: idOf(seed, story), ...story.local }));
}

/** Whether a session is the one that goes on by itself, and has rested. */
export function isRested({ title, steps, updatedAt, messages }: SessionState, now: number): boolean {
  if (title !== ONGOING.title || steps.length > 0 || messages.length > MOST_MESSAGES) return false;
  return now - updatedAt >= REST_MS;
}

/** Lets the session that goes on by itself take up its next exchange. */
export function goOn(state: SessionState, now: number, pace: number): void {
  const turn = state.messages.filter(({ role }) => role === 'user').length;
  const exchange = ONGOING.exchanges[turn % ONGOING.exchanges.length];
  if (exchange !== undefined) ask(state, exchange, seeded(state.sessionId, 'ongoing', turn), now, pace);
}

/** The person asks, and the agent sets to work. */
function ask(
  state: SessionState,
  { ask: text, picture, lines }: Exchange,
  random: Random,
  start: number,
  pace: number,
): void {
  const id = (): string => `item_${random.hex(12)}`;
  const source = { type: 'base64', mediaType: 'image/png', data: ORDERS_PNG };
  const image = picture === undefined ? [] : [{ type: 'image', id: id(), name: picture, source }];
  const content = [{ type: 'text', text, id: id() }, ...image];
  append(state, { role: 'user', content, visibility: 'both' }, start);
  state.status = 'pending';
  const model = state.settings['model'];
  state.steps.push(...stepsOf(lines, { start, pace: pace * UNHURRIED, random, model }));
}

function idOf(seed: string, { title }: Story): string {
  return seeded(seed, 'session', title).uuid();
}
