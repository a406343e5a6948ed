import assert from 'node:assert/strict';
import { DAY, Sample } from './harness';

const RANGE = 'startDate=2026-01-14&endDate=2026-11-20';

/** A row, a breakdown of one, or an entry of that. */
interface Row {
  readonly [field: string]: unknown;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
const num = (row: Row | undefined, key: string): number => Number(row?.[key]);
const part = (row: Row, key: string): readonly Row[] => row[key] as readonly Row[];
const total = (entries: readonly Row[], key: string): number => sum(entries.map(entry => num(entry, key)));

describe('the analytics of the sample', () => {
  const sample = new Sample();
  const answers = new Map<string, Promise<readonly Row[]>>();
  const rows = (path: string): Promise<readonly Row[]> => {
    const known =
      answers.get(path) ??
      sample.ok<{ data: Row[] }>(`/api/v1/analytics/${path}${RANGE}`).then(({ data }) => data);
    answers.set(path, known);
    return known;
  };

  it('have one row a day, every day from the first to yesterday', async () => {
    const days = Array.from({ length: 311 }, (_, index) =>
      new Date(Date.UTC(2026, 0, 14) + index * DAY).toISOString().slice(0, 10),
    );
    for (const path of ['tokens?', 'tools?', 'activity?', 'productivity?']) {
      assert.deepEqual(
        (await rows(path)).map(row => row['date']),
        days,
      );
    }
  });

  it('add up: tokens by model and by user, tools, servers, skills, commands and hooks', async () => {
    for (const row of await rows('tokens?')) {
      const [models, users] = [part(row, 'by_model'), part(row, 'by_user')];
      for (const key of ['billable_tokens', 'input_tokens', 'output_tokens']) {
        assert.equal(total(models, key), row[key]);
        assert.equal(
          total(
            users.flatMap(user => part(user, 'by_model')),
            key,
          ),
          row[key],
        );
      }
      assert.equal(total(users, 'billable_tokens'), row['billable_tokens']);
      assert.ok(num(row, 'billable_tokens') <= num(row, 'input_tokens') + num(row, 'output_tokens'));
      assert.ok(num(row, 'cache_read_tokens') + num(row, 'cache_write_tokens') <= num(row, 'input_tokens'));
    }
    for (const row of await rows('tools?')) {
      for (const [list, count, whole] of [
        ['by_tool', 'invocations', 'tool_calls'],
        ['skills_by_name', 'count', 'skills_invocations'],
        ['slash_commands_by_name', 'count', 'slash_commands_invocations'],
        ['hooks_by_event', 'count', 'hooks_invocations'],
      ] as const) {
        assert.equal(total(part(row, list), count), row[whole], list);
      }
      assert.ok(total(part(row, 'mcp_by_server'), 'invocations') <= num(row, 'tool_calls'));
      assert.ok(num(row, 'autonomy_ratio_p50') <= num(row, 'autonomy_ratio_p90'));
      const levels = sum(Object.values(row['tool_autonomy_level_ratio'] as Record<string, number>));
      assert.ok(row['tool_calls'] === 0 ? levels === 0 : Math.abs(levels - 1) < 0.001);
    }
  });

  it('page users by user id, all days of a user on one page', async () => {
    const path = '/api/v1/analytics/users?startDate=2026-08-20&endDate=2026-09-20';
    type Page = { data: Row[]; meta: { has_more: boolean; next_cursor: string | null } };
    const { data: all } = await sample.ok<Page>(`${path}&limit=100`);
    assert.equal(new Set(all.map(row => row['user_id'])).size, 14);
    for (const limit of [1, 3, 13, 14, 100]) {
      const seen: Row[] = [];
      let pages = 0;
      for (let cursor: string | null = ''; cursor !== null; pages++) {
        const { data, meta }: Page = await sample.ok(
          `${path}&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        assert.ok(new Set(data.map(row => row['user_id'])).size <= limit);
        seen.push(...data);
        assert.equal(meta.has_more, meta.next_cursor !== null);
        cursor = meta.next_cursor;
      }
      assert.deepEqual(seen, all);
      assert.equal(pages, Math.ceil(14 / limit));
    }
  });

  it('have the rhythm of weeks, growth, and the known faults of the data', async () => {
    const tokens = await rows('tokens?');
    const isWeekend = (row: Row): boolean => [0, 6].includes(new Date(String(row['date'])).getUTCDay());
    const mean = (some: readonly Row[]): number => total(some, 'billable_tokens') / some.length;
    const [weekend, working] = [tokens.filter(isWeekend), tokens.filter(row => !isWeekend(row))];
    assert.ok(mean(weekend) * 5 < mean(working));
    assert.ok(mean(tokens.slice(0, 60)) * 1.5 < mean(tokens.slice(-60)));
    assert.equal(
      num(
        tokens.find(row => row['date'] === '2026-05-01'),
        'billable_tokens',
      ),
      0,
    );
    const models = tokens.flatMap(row => part(row, 'by_model')).map(model => model['model_id']);
    assert.equal(new Set(models).size, 5);

    const tools = await rows('tools?');
    const servers = new Set(
      tools.flatMap(row => part(row, 'mcp_by_server')).map(entry => String(entry['server'])),
    );
    const folded = new Set([...servers].map(server => server.toLowerCase()));
    assert.ok(servers.size > folded.size, 'servers that differ by letter case only');
    const names = tools.flatMap(row => part(row, 'by_tool')).map(entry => String(entry['tool']));
    const odd = names.filter(name => !/^[A-Za-z]+(?:-[A-Za-z]+)?(?:__query)?$/.test(name));
    assert.ok(odd.length > 0 && odd.length / names.length < 0.002, `${odd.length} of ${names.length}`);
  });

  it('are the same for the same seed and date, others for another seed, and never change a past day', async () => {
    const [twin, other, later] = [new Sample(), new Sample({ seed: 'other' }), new Sample()];
    later.time += 40 * DAY;
    for (const path of ['tokens?', 'tools?', 'activity?', 'productivity?', 'users?limit=100&']) {
      const [mine, same, different, after] = await Promise.all(
        [sample, twin, other, later].map(which => which.call(`/api/v1/analytics/${path}${RANGE}`)),
      );
      assert.equal(mine?.text, same?.text);
      assert.notEqual(mine?.text, different?.text);
      assert.equal(mine?.text, after?.text);
    }
  });
});
