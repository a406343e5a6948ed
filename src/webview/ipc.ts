/**
 * Typed messages between a panel and its page. One protocol object is imported by both sides. Everything the page sends is
 * checked at the panel; every request is answered or refused. No VS Code, no DOM.
 */
export interface Protocol {
  /** Page to panel. Each may also be sent as a notification, which is not answered. */
  readonly requests: Readonly<Record<string, RequestSpec<unknown, unknown>>>;
  /** Panel to page. The panel is trusted: only the types are kept. */
  readonly events: Readonly<Record<string, EventSpec<unknown>>>;
}

interface RequestSpec<P, R> {
  readonly params: Guard<P>;
  /** Carries the type of the answer; never read. */
  readonly answer?: R;
}

interface EventSpec<T> {
  /** Carries the type of the payload; never read. */
  readonly payload?: T;
}

/** `request(guard)<Answer>()`: a request whose parameters pass `guard`. */
export function request<P>(params: Guard<P>): <R>() => RequestSpec<P, R> {
  return () => ({ params });
}

/** A request that is answered when it is done; with what, nobody needs to know. */
/* @__NO_SIDE_EFFECTS__ */
export function act<P>(params: Guard<P>): RequestSpec<P, undefined> {
  return { params };
}

export function event<T>(): EventSpec<T> {
  return {};
}

export type Params<P extends Protocol, K extends keyof P['requests']> =
  P['requests'][K] extends RequestSpec<infer T, unknown> ? T : never;
type Answer<P extends Protocol, K extends keyof P['requests']> =
  P['requests'][K] extends RequestSpec<unknown, infer R> ? R : never;
type Payload<P extends Protocol, K extends keyof P['events']> =
  P['events'][K] extends EventSpec<infer T> ? T : never;

/** One handler a request; a missing one does not compile. */
export type PanelHandlers<P extends Protocol> = {
  readonly [K in keyof P['requests']]: (
    params: Params<P, K>,
  ) => [Answer<P, K>] extends [undefined] ? unknown : Promise<Answer<P, K>> | Answer<P, K>;
};

/** One handler an event; a missing one does not compile. */
type PageHandlers<P extends Protocol> = {
  readonly [K in keyof P['events']]: (payload: Payload<P, K>) => unknown;
};

type ToPage =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly id: number; readonly reason: string }
  | { readonly kind: 'event'; readonly name: string; readonly payload: unknown };

export interface PanelSideOptions<P extends Protocol> {
  readonly protocol: P;
  readonly handlers: PanelHandlers<P>;
  /** Hands one message to the page. */
  readonly post: (message: unknown) => unknown;
  /** The sentence the page shows for a handler that failed. */
  readonly describe: (error: unknown) => string;
  /** Hears of messages that were dropped and handlers that failed, without their contents. */
  readonly onProblem: (problem: string, error?: unknown) => void;
}

/** The panel's end. `receive` never throws, whatever arrives. */
export interface PanelSide<P extends Protocol> {
  receive(message: unknown): void;
  send<K extends keyof P['events'] & string>(name: K, payload: Payload<P, K>): void;
}

export function panelSide<P extends Protocol>(options: PanelSideOptions<P>): PanelSide<P> {
  const { protocol, handlers, post, describe, onProblem } = options;
  const isToPanel = toPanel();
  const tell = (message: ToPage): unknown => post(message);

  async function hear(message: unknown): Promise<void> {
    if (!isToPanel(message)) {
      onProblem('A message of the page was dropped: wrong shape');
      return;
    }
    const { id, name, params } = message;
    const refuse = (reason: string): void => {
      if (id !== undefined) tell({ kind: 'refusal', id, reason });
    };
    const spec = own(protocol.requests, name);
    const handler = own(handlers, name) as ((params: unknown) => unknown) | undefined;
    if (spec === undefined || handler === undefined || !spec.params(params)) {
      onProblem('A message of the page was refused: unknown name or wrong parameters');
      refuse('Refused: unknown name or wrong parameters.');
      return;
    }
    try {
      const value = await handler(params);
      if (id !== undefined) tell({ kind: 'answer', id, value });
    } catch (error) {
      onProblem(`"${name}" of the page failed`, error);
      refuse(describe(error));
    }
  }

  return {
    receive: message => void hear(message),
    send: (name, payload) => void tell({ kind: 'event', name, payload }),
  };
}

/** A request the panel refused; the message is a sentence for a person. */
export class RefusedByPanel extends Error {
  override readonly name = 'RefusedByPanel';
}

/** The page's end. */
export interface PageSide<P extends Protocol> {
  receive(message: unknown): void;
  /** Resolves with the panel's answer; rejects with `RefusedByPanel`. */
  request<K extends keyof P['requests'] & string>(name: K, params: Params<P, K>): Promise<Answer<P, K>>;
  /** The same without an answer. */
  notify<K extends keyof P['requests'] & string>(name: K, params: Params<P, K>): void;
}

/**
 * Makes the page's end of a protocol. Messages come from the panel only, so their types are taken as declared, and the checks of the
 * protocol need not be in the page.
 */
export function pageSide<P extends Protocol>(
  handlers: PageHandlers<P>,
  post: (message: unknown) => void,
): PageSide<P> {
  const waiting = new Map<number, Pick<PromiseWithResolvers<never>, 'resolve' | 'reject'>>();
  let lastId = 0;
  const tell = (message: Guarded<ReturnType<typeof toPanel>>): void => post(message);

  return {
    receive(message) {
      const received = message as ToPage | undefined;
      if (received?.kind === 'event') {
        (own(handlers, received.name) as ((payload: unknown) => unknown) | undefined)?.(received.payload);
      } else if (received?.kind === 'answer') {
        waiting.get(received.id)?.resolve(received.value as never);
        waiting.delete(received.id);
      } else if (received?.kind === 'refusal') {
        waiting.get(received.id)?.reject(new RefusedByPanel(received.reason));
        waiting.delete(received.id);
      }
    },
    request(name, params) {
      const { promise, ...settle } = Promise.withResolvers<never>();
      waiting.set(++lastId, settle);
      tell({ id: lastId, name, params });
      return promise;
    },
    notify: (name, params) => tell({ name, params }),
  };
}

function own<T extends object>(from: T, name: string): T[keyof T] | undefined {
  return Object.hasOwn(from, name) ? from[name as keyof T] : undefined;
}

/** Checks the shape of foreign values. A guard never throws on plain data and copies nothing. Pages leave out those they do not use. */
export type Guard<T> = (value: unknown) => value is T;

/** The type a guard lets through. */
export type Guarded<G> = G extends Guard<infer T> ? T : never;

/** Text of at most `maxLength` UTF-16 units. */
/* @__NO_SIDE_EFFECTS__ */
export function text(maxLength: number): Guard<string> {
  return (value): value is string => typeof value === 'string' && value.length <= maxLength;
}

/** A finite number from `least` to `most`. */
/* @__NO_SIDE_EFFECTS__ */
export function number(least: number, most: number): Guard<number> {
  return (value): value is number =>
    typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most;
}

export const boolean: Guard<boolean> = (value): value is boolean => typeof value === 'boolean';

export const bytes: Guard<Uint8Array> = (value): value is Uint8Array => value instanceof Uint8Array;

/* @__NO_SIDE_EFFECTS__ */
export function oneOf<const T extends string>(...words: readonly T[]): Guard<T> {
  return (value): value is T => (words as readonly unknown[]).includes(value);
}

/* @__NO_SIDE_EFFECTS__ */
export function listOf<T>(item: Guard<T>, maxLength: number): Guard<readonly T[]> {
  return (value): value is readonly T[] =>
    Array.isArray(value) && value.length <= maxLength && value.every(entry => item(entry));
}

/* @__NO_SIDE_EFFECTS__ */
export function optional<T>(inner: Guard<T>): Guard<T | undefined> {
  return (value): value is T | undefined => value === undefined || inner(value);
}

type OptionalKeys<S> = { [K in keyof S]: undefined extends Guarded<S[K]> ? K : never }[keyof S];

/** What `object(shape)` lets through. */
type ObjectOf<S> = {
  readonly [K in Exclude<keyof S, OptionalKeys<S>>]: Guarded<S[K]>;
} & { readonly [K in OptionalKeys<S>]?: Guarded<S[K]> };

/** An object that has these fields and no others. */
/* @__NO_SIDE_EFFECTS__ */
export function object<S extends Readonly<Record<string, Guard<unknown>>>>(shape: S): Guard<ObjectOf<S>> {
  return (value): value is ObjectOf<S> =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).every(name => Object.hasOwn(shape, name)) &&
    Object.entries(shape).every(([name, guard]) => guard(own<Record<string, unknown>>(value as never, name)));
}

/** What a page sends: made for the panel's end alone, so that pages leave it out. */
const toPanel = () =>
  object({
    /** Without one it is a notification. */
    id: optional(number(0, Number.MAX_SAFE_INTEGER)),
    name: text(100),
    params: (() => true) as unknown as Guard<unknown>,
  });
