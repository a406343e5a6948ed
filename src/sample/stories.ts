import { parseScripts, type Exchange } from './script';
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
export interface Story {
  readonly title: string;
  readonly computer: 'atlas' | 'dune';
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

const exchanges = parseScripts(scripts);

const story = (
  title: string,
  computer: Story['computer'],
  minutesAgo: number,
  settings: Story['settings'],
  local?: Local,
): Story => ({
  ...{ title, computer, minutesAgo, settings, exchanges: exchanges.get(title) ?? [] },
  ...(local === undefined ? {} : { local }),
});

const atlas = 'atlas-large';
const permission = 'Permission needed: git push origin tax-once-per-cart';

/** The session that goes on by itself: with its next exchange, from the first one again, once it has rested. */
export const ONGOING = story('Cover the checkout with tests', 'dune', 0.75, {
  model: atlas,
  autonomyLevel: 'high',
});

export const STORIES: readonly Story[] = [
  story(
    'Round the tax once per cart',
    'atlas',
    7,
    { model: atlas, reasoningEffort: 'high', autonomyLevel: 'medium' },
    { read: 0, signal: { kind: 'waiting', message: permission } },
  ),
  ONGOING,
  story(
    'Move the workspace to TypeScript 5.9',
    'dune',
    52,
    { model: 'onyx-large', autonomyLevel: 'medium' },
    { read: 10, signal: { kind: 'ended', reason: 'error' } },
  ),
  story(
    'Find out why the total test is flaky',
    'atlas',
    24,
    { model: 'onyx-large', autonomyLevel: 'medium' },
    { read: 1, signal: { kind: 'finished' } },
  ),
  story(
    'Are returns really going up?',
    'atlas',
    95,
    { model: 'atlas-mini', autonomyLevel: 'low' },
    { read: 1, signal: { kind: 'finished' } },
  ),
  story(
    'How a checkout works, end to end',
    'dune',
    4 * 1440,
    { model: atlas, interactionMode: 'spec' },
    { pinned: true },
  ),
  story('Review of the price check', 'atlas', 26 * 60, { model: atlas, reasoningEffort: 'high' }),
  story(
    'Extract the button into packages/ui',
    'atlas',
    12 * 1440,
    { model: 'onyx-mini' },
    { archived: true },
  ),
];
