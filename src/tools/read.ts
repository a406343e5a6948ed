import * as z from 'zod/mini';
import type { Session, StoredRepository, ToolsDeps } from './deps';
import type { Permissions } from './publicApi';
import { timeText, type Tool, type Words } from './tools';

/** What a tool does; what it is called and what its fields mean stands in package.json. */
export function doing<I>(input: z.ZodMiniType<I>, run: Tool<I>['run']): Pick<Tool<I>, 'input' | 'run'> {
  return { input, run };
}

/** Longest text of one message, of one that is asked for alone, and of a reason; characters. */
const [MOST_TEXT, MOST_ALONE, REASON] = [8_000, 40_000, 1_000];
/** Characters of a line before and from its match on. */
const [LEAD, REST] = [40, 200];
/** Changes of one revision that are listed. */
const MOST_CHANGES = 40;

export const text = (most = 500) => z.string().check(z.minLength(1), z.maxLength(most));
const count = (least: number, most: number) => z.optional(z.int().check(z.gte(least), z.lte(most)));
const day = z.optional(z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/)));
const limit = count(1, 100);
const paged = { limit, offset: count(0, 1_000_000) };
const names = z.optional(z.boolean());
const states = ['waiting', 'working', 'idle', 'unknown', 'archived'] as const;
const tabs = ['tokens', 'tools', 'activity', 'productivity', 'people'] as const;

/** How old a list is. */
function age(at: number | undefined): object {
  const hint = 'This list was never read: a person has to open its view in Agent Console once.';
  return at === undefined ? { readAt: null, hint } : { readAt: timeText(at) };
}

function isIn(
  state: (typeof states)[number] | undefined,
  { status, isWaiting, isArchived }: Session,
): boolean {
  if (isArchived || state === 'archived') return isArchived && state === 'archived';
  if (state === 'waiting') return isWaiting;
  return state === 'working' ? ['running', 'pending'].includes(status) : (state ?? status) === status;
}

function rowOf({ statusAt, lastActivityAt, says, ...session }: Session) {
  const age = statusAt === undefined ? undefined : Math.max(0, Math.round((Date.now() - statusAt) / 1_000));
  const times = { statusAt: timeText(statusAt), lastActivityAt: timeText(lastActivityAt) };
  return { ...session, says: says?.slice(0, REASON), ...times, statusAgeSeconds: age };
}

function summary({ criteria, at, ...report }: StoredRepository) {
  const failing = criteria.filter(({ isPassing, change }) => !isPassing && change !== 'gone').length;
  const gotWorse = criteria.filter(({ change }) => change === 'worse').length;
  return { ...report, at: timeText(at), failing, gotWorse };
}

/** The tools over what is stored: none of them asks the service anything. */
export function readTools({ sources }: Pick<ToolsDeps, 'sources'>, words: Words, permissions: Permissions) {
  return {
    list_sessions: doing(
      z.strictObject({ state: z.optional(z.enum(states)), computerId: z.optional(text()), ...paged }),
      async ({ state, computerId, limit = 30, offset }) => {
        const found = [...(await sources.sessions()).values()].filter(
          each => isIn(state, each) && (computerId ?? each.computerId) === each.computerId,
        );
        const { rows, more } = words.page(found.map(rowOf), { offset, limit });
        return words.answer({ total: found.length, sessions: rows, ...more });
      },
    ),

    read_session: doing(
      z.strictObject({
        sessionId: text(),
        before: z.optional(text()),
        messageId: z.optional(text()),
        from: count(0, 10_000_000),
        limit,
      }),
      async ({ sessionId, before, messageId, from = 0, limit = 30 }) => {
        const { session, messages, known, unread } = await sources.messages(sessionId);
        const why = known === 0 ? ': a person has to open the session here first' : '';
        const what = unread === 1 ? '1 message' : `${unread} messages`;
        const hint = unread === 0 ? undefined : `${what} cannot be read yet${why}.`;
        const named = messageId ?? before;
        const at = named === undefined ? messages.length : messages.findIndex(({ id }) => id === named);
        if (at < 0) throw new Error('The session has no message with this id.');
        const [begin, most] = messageId === undefined ? [0, MOST_TEXT] : [from, MOST_ALONE];
        const told = function* () {
          const until = messages.slice(0, at + Number(messageId !== undefined));
          for (const { id, by, at: time, text } of until.reverse()) {
            const all = words.harmless(text());
            // Never half of a character.
            const end = begin + most - Number(!all.slice(begin, begin + most).isWellFormed());
            const readOn = `Call read_session with messageId and from ${end}.`;
            const cut = all.length > end ? { isCut: true, length: all.length, readOn } : {};
            yield { id, by, at: timeText(time), text: all.slice(begin, end), ...cut };
          }
        };
        const { rows, more } = words.page(told(), {
          limit: messageId === undefined ? limit : 1,
          how: (_, last) => `before "${last.id}"`,
        });
        return words.answer({ session: rowOf(session), hint, messages: rows.toReversed(), ...more });
      },
    ),

    search: doing(z.strictObject({ query: text(), limit }), async ({ query, limit = 30 }) => {
      const { hits, isMore } = await sources.search(query, limit);
      const sessions = await sources.sessions();
      const told = hits.map(({ match, text, ...hit }) => {
        const title = sessions.get(hit.sessionId ?? '')?.title;
        // The whole line: half a secret would not be told from a word.
        const line = words.harmless(text);
        const at = Math.max(0, line.indexOf(match));
        return { ...hit, text: line.slice(Math.max(0, at - LEAD), at + REST), title, at: timeText(hit.at) };
      });
      const how = (): string => 'more words, or before: the day of the last hit';
      const { rows, more } = words.page(told, { limit, how });
      return words.answer({ hits: rows, ...(isMore ? { truncated: true, readOn: how() } : {}), ...more });
    }),

    list_computers: doing(z.strictObject(paged), async ({ limit = 30, offset }) => {
      const { items, at } = await sources.computers();
      const told = items.map(each => ({ ...each, error: each.error?.slice(0, REASON) }));
      const { rows, more } = words.page(told, { offset, limit });
      return words.answer({ ...age(at), total: items.length, computers: rows, ...more });
    }),

    readiness: doing(
      z.strictObject({ repository: z.optional(text()), ...paged }),
      async ({ repository, limit = 30, offset }) => {
        const { items, at } = await sources.readiness(repository);
        const [only, ...others] = items;
        if (only === undefined || others.length > 0) {
          const { rows, more } = words.page(items.map(summary), { offset, limit });
          return words.answer({ ...age(at), repositories: rows, ...more });
        }
        const told = only.criteria.map(each => ({ ...each, rationale: each.rationale?.slice(0, REASON) }));
        const { rows, more } = words.page(told, { offset, limit });
        return words.answer({ ...age(at), repositories: [{ ...summary(only), criteria: rows }], ...more });
      },
    ),

    usage: doing(
      z.strictObject({
        about: z.optional(z.enum(tabs)),
        start: day,
        end: day,
        table: z.optional(text()),
        names,
        ...paged,
      }),
      async ({ about: tab = 'tokens', start, end, table, names: asked = false, limit = 30, offset }) => {
        const names = asked && (await permissions.areNamesAllowed());
        const report = await sources.usage({ tab, start, end, names });
        const wanted = report.sections.filter(({ id }) => (table ?? id) === id);
        const tables = wanted.map(({ id, title, table: { columns, rows: all, total } }) => {
          const page = {
            ...{ limit, most: Math.floor(50_000 / wanted.length), offset: table === undefined ? 0 : offset },
            how: (next: number) => `table "${id}" and offset ${next}`,
          };
          const cells = all.map(each => each.cells);
          const { rows, more } = words.page(cells, page);
          return { id, title, columns: columns.map(each => each.id), rows, total, ...more };
        });
        const { query, through: lastDayKnown, missing: missingDays, figures } = report;
        const made =
          asked && !names ? 'The person has not allowed real names: these are made up.' : undefined;
        return words.answer({ days: query.range, lastDayKnown, missingDays, names: made, figures, tables });
      },
    ),

    control_changes: doing(
      z.strictObject({ setting: z.optional(text()), names, ...paged }),
      async ({ setting = '', names: asked = false, limit = 30, offset }) => {
        const names = asked && (await permissions.areNamesAllowed());
        const { items, at } = await sources.controls();
        const told = function* () {
          for (const { revision, at: time, by, changes: make } of items) {
            const all = make().filter(({ path }) => path.toLowerCase().includes(setting.toLowerCase()));
            if (all.length === 0 && setting !== '') continue;
            const changes = all.slice(0, MOST_CHANGES);
            const moreChanges = all.length - changes.length || undefined;
            yield { revision, at: timeText(time), by: names ? by : undefined, changes, moreChanges };
          }
        };
        const { rows, more } = words.page(told(), { offset, limit });
        return words.answer({ ...age(at), revisions: rows, ...more });
      },
    ),
  };
}
