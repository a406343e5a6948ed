import { type Message } from './records';
import { type Route } from './router';
import { type SessionsStore } from './sessionsStore';
import { filledText, invalid, numeral, oneOf, query, Refusal } from './validate';

const limit = numeral(1, 100);
const PAGE_SIZE = 20;
const role = oneOf('user', 'assistant', 'tool', 'system');

/** The lists that only some services offer (interface-notes, extras); served when the service is started with `extras`. */
export function extraRoutes(sessions: SessionsStore): readonly Route[] {
  const shared = { origin: 'base', method: 'GET', access: 'any', status: 200 } as const;
  return [
    {
      ...shared,
      path: '/api/v0/sessions',
      answer: call => {
        const asked = query(call.query, {}, { limit, cursor: filledText });
        const all = sessions.all();
        return paged('sessions', all, session => String(session['sessionId']), asked);
      },
    },
    {
      ...shared,
      path: '/api/v0/sessions/*/messages',
      answer: call => {
        const asked = query(call.query, {}, { limit, cursor: filledText, role });
        const all = sessions.messages(call.path[0] ?? '');
        if (all === undefined) throw new Refusal(404, 'There is no such session.');
        const wanted = all.filter(message => asked.role === undefined || message.role === asked.role);
        return paged('messages', wanted, (message: Message) => message.id, asked);
      },
    },
  ];
}

/** A page after the item a cursor names, the oldest first. */
function paged<T>(
  name: string,
  all: readonly T[],
  idOf: (item: T) => string,
  asked: { readonly limit?: number; readonly cursor?: string },
): Readonly<Record<string, unknown>> {
  const after = asked.cursor === undefined ? -1 : all.findIndex(item => idOf(item) === asked.cursor);
  if (asked.cursor !== undefined && after < 0) invalid('query.cursor was not given out by this endpoint.');
  const items = all.slice(after + 1, after + 1 + (asked.limit ?? PAGE_SIZE));
  const last = items.at(-1);
  const hasMore = last !== undefined && after + 1 + items.length < all.length;
  return { [name]: items, pagination: { hasMore, nextCursor: hasMore ? idOf(last) : null } };
}
