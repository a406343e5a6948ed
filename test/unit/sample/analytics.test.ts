import assert from 'node:assert/strict';
import { type SampleService } from '../../../src/sample';
import * as contract from './contract';
import { call, closeAll, NOW, ok, start } from './harness';

const DAY = 86_400_000;
const RANGE = 'startDate=2026-01-14&endDate=2026-11-20';
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
const total = <K extends string>(entries: readonly Record<K, number>[], key: K): number =>
  sum(entries.map(entry => entry[key]));

describe('sample service: analytics', () => {
  let service: SampleService;
  before(async () => {
    service = await start();
  });
  after(closeAll);

  const answers = new Map<string, Promise<unknown>>();
  const answer = (path: string): Promise<unknown> => {
    const known =
      answers.get(path) ?? call(service, `/api/v1/analytics/${path}${RANGE}`).then(reply => reply.body);
    answers.set(path, known);
    return known;
  };
  const rows = async <T>(path: string, row: (value: unknown) => T): Promise<T[]> =>
    contract.envelope(row)(await answer(path)).data;
  const userRows = async () => contract.userRows(await answer('users?limit=100&')).data;

  it('has one row a day, every day from the first to yesterday', async () => {
    const days = Array.from({ length: 311 }, (_, index) =>
      new Date(Date.UTC(2026, 0, 14) + index * DAY).toISOString().slice(0, 10),
    );
    for (const path of ['tokens?', 'tools?', 'activity?', 'productivity?']) {
      const { data } = (await answer(path)) as { data: { date: string }[] };
      assert.deepEqual(
        data.map(row => row.date),
        days,
      );
    }
  });

  it('adds tokens up: by model, by user, by user and model, grouped', async () => {
    const plain = await rows('tokens?', contract.tokenRow);
    const grouped = await rows('tokens?group_by=model&', contract.groupedTokenRow);
    for (const row of plain) {
      for (const key of ['billable_tokens', 'input_tokens', 'output_tokens'] as const) {
        assert.equal(total(row.by_model, key), row[key]);
        assert.equal(
          total(
            row.by_user.flatMap(user => user.by_model),
            key,
          ),
          row[key],
        );
      }
      for (const user of row.by_user)
        assert.equal(total(user.by_model, 'billable_tokens'), user.billable_tokens);
      assert.equal(total(row.by_user, 'billable_tokens'), row.billable_tokens);
      assert.ok(row.billable_tokens <= row.input_tokens + row.output_tokens, 'discounted');
      assert.ok(row.cache_read_tokens + row.cache_write_tokens <= row.input_tokens);
      assert.deepEqual(
        grouped.filter(entry => entry.date === row.date),
        row.by_model.map(model => ({
          date: row.date,
          group_key: model.model_id,
          billable_tokens: model.billable_tokens,
          input_tokens: model.input_tokens,
          output_tokens: model.output_tokens,
        })),
      );
    }
    const models = new Map(
      plain.flatMap(row => row.by_model).map(model => [model.model_id, model.model_tier]),
    );
    assert.equal(models.size, 5);
    assert.deepEqual([...new Set(models.values())].sort(), ['standard', 'thinking']);
  });

  it('adds tools up: by tool, server, skill, command and hook, grouped', async () => {
    const grouped = await rows('tools?group_by=tool_name&', contract.groupedToolRow);
    for (const row of await rows('tools?', contract.toolRow)) {
      assert.equal(total(row.by_tool, 'invocations'), row.tool_calls);
      assert.equal(total(row.skills_by_name, 'count'), row.skills_invocations);
      assert.equal(total(row.slash_commands_by_name, 'count'), row.slash_commands_invocations);
      assert.equal(total(row.hooks_by_event, 'count'), row.hooks_invocations);
      assert.ok(total(row.mcp_by_server, 'invocations') <= row.tool_calls);
      assert.ok(row.autonomy_ratio_p50 <= row.autonomy_ratio_p90);
      const levels = sum(Object.values(row.tool_autonomy_level_ratio));
      assert.ok(row.tool_calls === 0 ? levels === 0 : Math.abs(levels - 1) < 0.001);
      assert.deepEqual(
        grouped.filter(entry => entry.date === row.date),
        row.by_tool.map(({ tool, invocations }) => ({
          date: row.date,
          group_key: tool,
          tool_calls: invocations,
        })),
      );
    }
  });

  it('counts people over trailing days and a person on several clients once', async () => {
    const plain = await rows('activity?', contract.activityRow);
    const grouped = await rows('activity?group_by=client&', contract.groupedActivityRow);
    const active = new Map<string, Set<string>>(plain.map(row => [row.date, new Set()]));
    for (const row of await userRows()) active.get(row.date)?.add(row.user_id);
    const people = (last: number, span: number): number =>
      new Set(
        plain.slice(Math.max(0, last - span + 1), last + 1).flatMap(row => [...(active.get(row.date) ?? [])]),
      ).size;
    for (const [index, row] of plain.entries()) {
      assert.equal(row.daily_active_users, people(index, 1));
      assert.equal(row.weekly_active_users, people(index, 7));
      assert.equal(row.monthly_active_users, people(index, 30));
      const clients = Object.entries(row.daily_active_users_by_client);
      assert.ok(clients.every(([, users]) => users <= row.daily_active_users));
      assert.ok(sum(clients.map(([, users]) => users)) >= row.daily_active_users);
      assert.deepEqual(
        Object.fromEntries(
          grouped
            .filter(entry => entry.date === row.date)
            .map(entry => [entry.group_key, entry.daily_active_users]),
        ),
        Object.fromEntries(clients.filter(([, users]) => users > 0)),
      );
    }
    assert.ok(
      plain.some(row => sum(Object.values(row.daily_active_users_by_client)) > row.daily_active_users),
    );
  });

  it('says the same about a user everywhere', async () => {
    const users = await userRows();
    const on = (date: string) => users.filter(row => row.date === date);
    for (const row of await rows('tokens?', contract.tokenRow)) {
      assert.deepEqual(
        on(row.date).map(user => [user.user_id, user.user_email ?? '', user.billable_tokens]),
        row.by_user.map(user => [user.user_id, user.user_email, user.billable_tokens]),
      );
      for (const user of on(row.date)) {
        const models = row.by_user.find(entry => entry.user_id === user.user_id)?.by_model ?? [];
        const most = Math.max(...models.map(model => model.billable_tokens));
        assert.equal(models.find(model => model.model_id === user.primary_model)?.billable_tokens, most);
        assert.equal(user.messages, user.user_messages + user.assistant_messages);
      }
    }
    for (const row of await rows('tools?', contract.toolRow)) {
      const day = on(row.date);
      assert.equal(total(day, 'tool_calls'), row.tool_calls);
      assert.equal(total(day, 'mcp_calls'), total(row.mcp_by_server, 'invocations'));
      assert.equal(total(day, 'skill_calls'), row.skills_invocations);
      assert.equal(total(day, 'slash_commands'), row.slash_commands_invocations);
      assert.equal(total(day, 'hooks'), row.hooks_invocations);
      assert.equal(day.filter(user => user.mcp_calls > 0).length, row.mcp_users_with_mcp);
    }
    for (const row of await rows('activity?', contract.activityRow)) {
      for (const key of ['sessions', 'messages', 'user_messages'] as const) {
        assert.equal(total(on(row.date), key), row[key]);
      }
    }
    for (const row of await rows('productivity?', contract.productivityRow)) {
      for (const key of ['files_created', 'files_edited', 'git_commits', 'git_prs_created'] as const) {
        assert.equal(total(on(row.date), key), row[key]);
      }
      assert.equal(total(row.by_extension, 'count'), row.files_created + row.files_edited);
      assert.equal(total(row.by_language, 'count'), row.files_created + row.files_edited);
    }
  });

  it('pages users by user id, all days of a user on one page', async () => {
    const days = 'startDate=2026-08-20&endDate=2026-09-20';
    const { data: all } = await ok(service, `/api/v1/analytics/users?${days}&limit=100`, contract.userRows);
    assert.equal(new Set(all.map(row => row.user_id)).size, 14);
    for (const limit of [1, 3, 13, 14, 100]) {
      const seen: typeof all = [];
      let pages = 0;
      for (let cursor = ''; ; pages++) {
        const path = `/api/v1/analytics/users?${days}&limit=${limit}${cursor && `&cursor=${cursor}`}`;
        const { data, meta } = await ok(service, path, contract.userRows);
        assert.ok(new Set(data.map(row => row.user_id)).size <= limit);
        seen.push(...data);
        assert.equal(meta.has_more, meta.next_cursor !== null);
        if (meta.next_cursor === null) break;
        assert.ok(all.some(row => row.user_id === meta.next_cursor));
        cursor = meta.next_cursor;
      }
      assert.deepEqual(seen, all);
      assert.equal(pages + 1, Math.ceil(14 / limit));
    }
  });

  it('has the rhythm of weeks, growth, and the known faults of the data', async () => {
    const tokens = await rows('tokens?', contract.tokenRow);
    const weekday = (date: string): number => new Date(`${date}T00:00:00Z`).getUTCDay();
    const mean = (some: typeof tokens): number => total(some, 'billable_tokens') / some.length;
    const weekend = tokens.filter(row => [0, 6].includes(weekday(row.date)));
    const working = tokens.filter(row => ![0, 6].includes(weekday(row.date)));
    assert.ok(mean(weekend) * 5 < mean(working));
    assert.ok(mean(tokens.slice(0, 60)) * 1.5 < mean(tokens.slice(-60)));
    const holiday = tokens.find(row => row.date === '2026-05-01');
    assert.deepEqual([holiday?.billable_tokens, holiday?.by_user], [0, []]);

    const tools = await rows('tools?', contract.toolRow);
    const servers = new Set(tools.flatMap(row => row.mcp_by_server.map(entry => entry.server)));
    const folded = new Set([...servers].map(server => server.toLowerCase()));
    assert.ok(servers.size > folded.size, 'servers that differ by letter case only');
    const names = tools.flatMap(row => row.by_tool.map(entry => entry.tool));
    const odd = names.filter(name => !/^[A-Za-z]+(?:-[A-Za-z]+)?(?:__query)?$/.test(name));
    assert.ok(odd.length > 0 && odd.length / names.length < 0.002, `${odd.length} of ${names.length}`);
  });

  it('is the same for the same seed and date, another for another seed, and never changes a past day', async () => {
    const twin = await start();
    const other = await start({ seed: 'other' });
    const later = await start({ now: () => NOW + 40 * DAY });
    const paths = ['tokens?', 'tools?', 'activity?', 'productivity?', 'users?limit=100&'];
    for (const path of paths.map(name => `/api/v1/analytics/${name}${RANGE}`)) {
      const [mine, same, different, after] = await Promise.all(
        [service, twin, other, later].map(async which => (await call(which, path)).text),
      );
      assert.equal(mine, same);
      assert.notEqual(mine, different);
      assert.equal(mine, after);
    }
    for (const path of ['/api/v0/organization/users?limit=100', '/api/v0/computers']) {
      assert.equal((await call(service, path)).text, (await call(twin, path)).text);
    }
  });

  it('moves on with the UTC day', async () => {
    const ask = (which: SampleService) =>
      call(which, '/api/v1/analytics/tokens?startDate=2026-11-21&endDate=2026-11-21');
    assert.equal((await ask(await start({ now: () => Date.UTC(2026, 10, 21, 23, 59, 59) }))).status, 400);
    assert.equal((await ask(await start({ now: () => Date.UTC(2026, 10, 22) }))).status, 200);
  });
});
