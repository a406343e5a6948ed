import { computerIdOf } from './computers';
import { seeded } from './random';
import { parseScripts, stepsOf, type Exchange } from './script';
import { advance, ask, emptySession, type SessionState } from './sessions';
import scripts from './stories.txt';

/** What hooks and people on this machine have added to a session, which the service never learns of. */
interface Local {
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
}

/** The sessions of the sample as they are when it is first used; one of them is still being worked on. */
export function demoSessions({ seed, now, pace }: Surroundings): SessionState[] {
  return STORIES.map(story => {
    const { title, minutesAgo, settings, exchanges } = story;
    const random = seeded(seed, 'story', title);
    const createdAt = Math.floor(now - minutesAgo * 60_000);
    const about = {
      sessionId: idOf(seed, story),
      computerId: computerIdOf(seed, story.computer),
      createdAt,
      settings,
    };
    const state = Object.assign(emptySession(about), { title });
    const id = (): string => `item_${random.hex(12)}`;
    const turn = { pace: pace * UNHURRIED, random, model: settings['model'] };
    for (const { ask: text, picture: name, lines } of exchanges) {
      const at = state.messages.length === 0 ? createdAt : state.updatedAt + 90_000;
      const source = { type: 'base64', mediaType: 'image/png', data: ORDERS_PNG };
      const said = { type: 'text', text, id: id() };
      const image = name === undefined ? [] : [{ type: 'image', id: id(), name, source }];
      ask(state, [said, ...image], at, start => stepsOf(lines, { start, ...turn }));
      advance(state, now);
    }
    return state;
  });
}

/** What people and hooks have added to the sessions of the sample on this machine, for whoever first sees them. */
export function demoFacts(seed = 'agent-console'): readonly (Local & { readonly sessionId: string })[] {
  return STORIES.map(story => ({ sessionId: idOf(seed, story), ...story.local }));
}

export function idOf(seed: string, { title }: Pick<Story, 'title'>): string {
  return seeded(seed, 'session', title).uuid();
}
