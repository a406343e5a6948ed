import * as z from 'zod/mini';
import type { Session } from '../../api';
import type { Sources, StoredReadiness } from './sources';
import type { ToolAnswer } from './tools';
import { readOn, timeText, type Words } from './words';

export interface ReadDeps {
  readonly sources: Sources;
  readonly words: Words;
  /** Whether assistants may know people's names; asks the person where nobody has said yet. */
  readonly mayName: () => Promise<boolean>;
}

/** What a tool does; what it is called stands in package.json. */
export interface Doing<I> {
  readonly input: z.ZodMiniType<I>;
  run(input: I, signal: AbortSignal): Promise<ToolAnswer>;
}
export function doing<I>(input: z.ZodMiniType<I>, run: Doing<I>['run']): Doing<I> {
  return { input, run };
}

/** Longest text of one message, and of one that is asked for alone; characters. */
const [MOST_TEXT, MOST_ALONE] = [8_000, 40_000];
/** Rows of each table of usage that nobody has asked for by its name. */
const MOST_ROWS = 15;
const REASON = 1_000;

const text = (describe: string, most = 500) =>
  z.string().check(z.minLength(1), z.maxLength(most), z.describe(describe));
const whole = (describe: string, most: number) => z.int().check(z.gte(0), z.lte(most), z.describe(describe));
const day = (describe: string) => z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/), z.describe(describe));
const names = z.optional(
  z
    .boolean()
    .check(
      z.describe('Names and e-mail addresses of people instead of made-up names; the person is asked once.'),
    ),
);
const paged = (usual: number) => ({
  limit: z.optional(
    z.int().check(z.gte(1), z.lte(100), z.describe(`At most so many; ${usual} where left out.`)),
  ),
  offset: z.optional(whole('How many to skip, to read on.', 1_000_000)),
});

/** How old a list is. */
function age(at: number | undefined): object {
  return at === undefined
    ? {
        readAt: null,
        hint: 'This list has not been read yet: a person has to open its view in Agent Console once.',
      }
    : { readAt: timeText(at) };
}

/** The tools over what is stored: none of them asks the service anything. */
export function readTools({ sources, words, mayName }: ReadDeps) {
  const rowOf = ({ statusAt, lastActivityAt, says, ...session }: Session) => ({
    ...session,
    says: says?.slice(0, REASON),
    statusAt: timeText(statusAt),
    statusAgeSeconds:
      statusAt === undefined ? undefined : Math.max(0, Math.round((Date.now() - statusAt) / 1_000)),
    lastActivityAt: timeText(lastActivityAt),
  });
  const sessionOf = async (sessionId: string): Promise<Session> => {
    const session = (await sources.sessions()).get(sessionId);
    if (session === undefined)
      throw new Error(
        'There is no session with this id in the list of Agent Console. Ask list_sessions for the ids.',
      );
    return session;
  };

  return {
    list_sessions: doing(
      z.strictObject({
        state: z.optional(
          z
            .enum(['waiting', 'working', 'idle', 'unknown', 'archived'])
            .check(z.describe('Only these. Archived sessions are listed only when they are asked for.')),
        ),
        computerId: z.optional(text('Only sessions on this computer.')),
        ...paged(30),
      }),
      async ({ state, computerId, limit = 30, offset }) => {
        const isAsked = ({ status, isWaiting, isArchived }: Session): boolean => {
          if (isArchived !== (state === 'archived')) return false;
          if (state === 'waiting') return isWaiting;
          if (state === 'working') return status === 'running' || status === 'pending';
          return state === undefined || state === 'archived' || status === state;
        };
        const found = [...(await sources.sessions()).values()]
          .filter(session => isAsked(session) && (computerId ?? session.computerId) === session.computerId)
          .sort((a, b) => b.lastActivityAt - a.lastActivityAt);
        const shown = words.page(found.map(rowOf), { offset, limit });
        return words.answer({ total: found.length, sessions: shown.rows, ...readOn(shown) });
      },
    ),

    read_session: doing(
      z.strictObject({
        sessionId: text('Id of the session, as list_sessions gives it.'),
        before: z.optional(text('Id of a message: only those before it, to read further back.')),
        messageId: z.optional(text('Id of a message: all of that one, where its text was cut.')),
        from: z.optional(whole('With messageId: the character to go on from.', 10_000_000)),
        limit: z.optional(
          z.int().check(z.gte(1), z.lte(100), z.describe('At most so many messages; 30 where left out.')),
        ),
      }),
      async ({ sessionId, before, messageId, from = 0, limit = 30 }) => {
        const session = await sessionOf(sessionId);
        const { messages, known } = await sources.messages(sessionId);
        const unread = Math.max(0, (session.messageCount ?? 0) - known);
        const facts = {
          session: rowOf(session),
          ...(unread === 0 ? {} : { unread, hint: `${unread} messages cannot be read yet.` }),
        };
        const at = messages.findIndex(({ id }) => id === (messageId ?? before));
        if (at < 0 && (messageId ?? before) !== undefined)
          throw new Error('There is no message with this id in the session.');
        const [begin, most] = messageId === undefined ? [0, MOST_TEXT] : [from, MOST_ALONE];
        const messageOf = ({ id, by, at: time, text: make }: (typeof messages)[number]) => {
          const all = words.harmless(make());
          const part = all.slice(begin, begin + most).toWellFormed();
          const end = begin + most;
          const rest = { length: all.length, readOn: `Call read_session with messageId and from ${end}.` };
          return {
            id,
            by,
            at: timeText(time),
            text: part,
            ...(all.length > end ? { isCut: true, ...rest } : {}),
          };
        };
        const one = messages[at];
        if (messageId !== undefined && one !== undefined)
          return words.answer({ ...facts, messages: [messageOf(one)] });
        const back = messages.slice(0, before === undefined ? undefined : at).reverse();
        const made = (function* () {
          for (const message of back) yield messageOf(message);
        })();
        const shown = words.page(made, { limit });
        const rows = shown.rows.toReversed();
        return words.answer({ ...facts, messages: rows, ...readOn(shown, `before "${rows[0]?.id ?? ''}"`) });
      },
    ),

    search: doing(
      z.strictObject({
        query: text('Words, "a phrase", beginnings*, from:me, from:agent, after:2026-11-01, before:2026-12.'),
        limit: z.optional(
          z.int().check(z.gte(1), z.lte(100), z.describe('At most so many; 30 where left out.')),
        ),
      }),
      async ({ query, limit = 30 }) => {
        const [{ hits, isMore }, sessions] = await Promise.all([
          sources.search(query, limit),
          sources.sessions(),
        ]);
        const rows = hits.map(hit => ({
          ...hit,
          title: hit.sessionId === undefined ? undefined : sessions.get(hit.sessionId)?.title,
          at: timeText(hit.at),
        }));
        const shown = words.page(rows, { limit });
        const isCut = isMore || shown.next !== undefined;
        return words.answer({
          hits: shown.rows,
          ...(isCut
            ? { truncated: true, readOn: 'Narrow the query, or ask before: the day of the last hit.' }
            : {}),
        });
      },
    ),

    list_computers: doing(z.strictObject({ ...paged(50) }), async ({ limit = 50, offset }) => {
      const { items, at } = await sources.computers();
      const rows = items.map(each => ({ ...each, error: each.error?.slice(0, REASON) }));
      const shown = words.page(rows, { offset, limit });
      return words.answer({ ...age(at), total: items.length, computers: shown.rows, ...readOn(shown) });
    }),

    readiness: doing(
      z.strictObject({
        repository: z.optional(
          text(
            'A part of its name or address, or a path on this machine. Left out: the repositories of this window.',
          ),
        ),
        ...paged(30),
      }),
      async ({ repository, limit = 30, offset }) => {
        const { items, at } = await sources.readiness(repository);
        const summary = ({ criteria, at: made, ...report }: StoredReadiness) => ({
          ...report,
          at: timeText(made),
          failing: criteria.filter(({ isPassing, change }) => !isPassing && change !== 'gone').length,
          gotWorse: criteria.filter(({ change }) => change === 'worse').length,
        });
        const [first] = items;
        if (items.length !== 1 || first === undefined) {
          const shown = words.page(items.map(summary), { offset, limit });
          return words.answer({ ...age(at), repositories: shown.rows, ...readOn(shown) });
        }
        const rows = first.criteria.map(each => ({ ...each, rationale: each.rationale?.slice(0, REASON) }));
        const shown = words.page(rows, { offset, limit });
        return words.answer({
          ...age(at),
          repositories: [{ ...summary(first), criteria: shown.rows }],
          ...readOn(shown),
        });
      },
    ),

    usage: doing(
      z.strictObject({
        about: z.optional(
          z
            .enum(['tokens', 'tools', 'activity', 'productivity', 'people'])
            .check(z.describe('Left out: tokens.')),
        ),
        start: z.optional(day('First UTC day, such as 2026-11-01. Left out: seven days.')),
        end: z.optional(day('Last UTC day. Left out: yesterday.')),
        table: z.optional(text('Id of a table: only that one, with more of its rows.')),
        names,
        ...paged(MOST_ROWS),
      }),
      async ({
        about: tab = 'tokens',
        start,
        end,
        table,
        names: asked = false,
        limit = MOST_ROWS,
        offset,
      }) => {
        const isNamed = asked && (await mayName());
        const report = await sources.usage({ tab, start, end, names: isNamed });
        const wanted = report.sections.filter(({ id }) => (table ?? id) === id);
        const tables = wanted.map(({ id, title, table: { columns, rows, total } }) => {
          const most = Math.floor(50_000 / wanted.length);
          const shown = words.page(
            rows.map(({ cells }) => cells),
            { limit, most, ...(table === undefined ? {} : { offset }) },
          );
          const how = `table "${id}" and offset ${String(shown.next)}`;
          return {
            id,
            title,
            columns: columns.map(each => each.id),
            rows: shown.rows,
            total,
            ...readOn(shown, how),
          };
        });
        return words.answer({
          days: report.query.range,
          lastDayKnown: report.through,
          missingDays: report.missing,
          ...(asked && !isNamed
            ? { names: 'The person would rather not show names: they are made up.' }
            : {}),
          figures: report.figures,
          tables,
        });
      },
    ),

    control_changes: doing(
      z.strictObject({
        setting: z.optional(text('Only changes of settings whose path has this in it.')),
        names,
        ...paged(20),
      }),
      async ({ setting = '', names: asked = false, limit = 20, offset }) => {
        const isNamed = asked && (await mayName());
        const { items, at } = await sources.controls();
        const made = (function* () {
          for (const { revision, at: time, by, changes } of items) {
            const all = changes().filter(({ path }) => path.toLowerCase().includes(setting.toLowerCase()));
            if (all.length === 0 && setting !== '') continue;
            const more = all.length > MOST_CHANGES ? { moreChanges: all.length - MOST_CHANGES } : {};
            const who = isNamed ? { by } : {};
            yield { revision, at: timeText(time), ...who, changes: all.slice(0, MOST_CHANGES), ...more };
          }
        })();
        const shown = words.page(made, { offset, limit });
        return words.answer({ ...age(at), revisions: shown.rows, ...readOn(shown) });
      },
    ),
  };
}

/** Changes of one revision that are listed. */
const MOST_CHANGES = 40;
