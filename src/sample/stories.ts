import { seeded, type Random } from './random';
import { advance, ask, emptySession, type SessionState } from './records';
import { parseScripts, stepsOf, type Exchange } from './script';
import scripts from './stories.txt';

/** What hooks and people on this machine have added to a session, which the service never learns of. */
export interface Local {
  readonly pinned?: boolean;
  readonly archived?: boolean;
  /** Messages that have been read; unread ones follow. */
  readonly read?: number;
  readonly signal?: {
    readonly kind: 'waiting' | 'finished' | 'ended';
    readonly message?: string;
    readonly reason?: string;
  };
}

/** A session of the sample, about the shop of the sample workspace. */
interface Story {
  readonly title: string;
  readonly computer: string;
  /** When it was begun, in minutes before the sample is first used. */
  readonly minutesAgo: number;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly local?: Local;
  readonly exchanges: readonly Exchange[];
}

/** `docs/orders.png` of the shop: orders and returns of four weeks. */
export const ORDERS_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAeAAAAEYAgMAAAD5e81yAAAADFBMVEX////IyMgvfdHgiiyeJK+QAAAAu0lEQVR42u3aMQ6AIBAA' +
  'QZ5o4yf9pMZKLQwKiEBm20tuEighBEmSJEmSJEnqqKliTnukliMwGAwGg8FgMBgMBoPBYDAY/AucsgQMBoMjS1ImYDAYDO4Ijr/s' +
  'n5ZkTto66rLrwWAwGAwGg8FgMBgMBoPBYDAYDAaDwWAwGAxuHS7/E+DlHwF3DAaDwWAwGAwGg8FgMLjkZN0DDwBf14MfwvdLwNXg' +
  '/AkYDAaDwWAwGPwhPFcsSJIkSZLUVhtrNuVcEVzl+QAAAABJRU5ErkJggg==';

export const STORIES: readonly Story[] = parseScripts(scripts).map(({ title, about, exchanges }) => ({
  ...(about as Omit<Story, 'title' | 'exchanges'>),
  ...{ title, exchanges },
}));

/** At this multiple of the natural pace an answer takes minutes. */
const UNHURRIED = 6;

export interface Surroundings {
  readonly seed: string;
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
    for (const exchange of story.exchanges) {
      const at = state.messages.length === 0 ? state.createdAt : state.updatedAt + 90_000;
      begin(state, exchange, random, at, pace);
      advance(state, now);
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

function begin(
  state: SessionState,
  { ask: text, picture, lines }: Exchange,
  random: Random,
  at: number,
  pace: number,
): void {
  const id = (): string => `item_${random.hex(12)}`;
  const source = { type: 'base64', mediaType: 'image/png', data: ORDERS_PNG };
  const image = picture === undefined ? [] : [{ type: 'image', id: id(), name: picture, source }];
  const turn = { pace: pace * UNHURRIED, random, model: state.settings['model'] };
  ask(state, [{ type: 'text', text, id: id() }, ...image], at, start => stepsOf(lines, { start, ...turn }));
}

export function idOf(seed: string, { title }: Pick<Story, 'title'>): string {
  return seeded(seed, 'session', title).uuid();
}
