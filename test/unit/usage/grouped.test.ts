import assert from 'node:assert/strict';
import type { SampleService } from '../../../src/sample';
import type { TabId, TabReport } from '../../../src/usage/report';
import { agrees, section } from './reports';
import { cleanUp, Clock, never, openWindow, query, sample, temporaryFolder } from './support';

type Loose = Record<string, unknown>;

const field = {
  tokens: 'by_model',
  tools: 'by_tool',
  activity: 'daily_active_users_by_client',
} as const;
const groups = { tokens: 'model', tools: 'tool_name', activity: 'client' } as const;
const table = { tokens: 'models', tools: 'tools', activity: 'clients' } as const;

/** Leaves the breakdown out of the days up to and with `last`. */
const withoutBreakdown = (tab: keyof typeof field, last: string) => (body: unknown) => ({
  ...(body as Loose),
  data: (body as { data: Loose[] }).data.map(({ [field[tab]]: left, ...row }) =>
    String(row['date']) > last && left !== undefined ? { ...row, [field[tab]]: left } : row,
  ),
});

const asked = (service: SampleService): string[] =>
  service.requests
    .filter(({ path }) => path.startsWith('/api/v1/analytics'))
    .map(({ query: given }) => {
      const { startDate, endDate, group_by: by } = given as Record<string, string | undefined>;
      return `${startDate}..${endDate} ${by ?? '-'}`;
    });

describe('days that come without a breakdown', () => {
  afterEach(cleanUp);

  for (const tab of ['tokens', 'tools', 'activity'] as const satisfies readonly TabId[]) {
    it(`of ${tab} get it from one grouped question, and keep it`, async () => {
      const clock = new Clock();
      const service = await sample(clock);
      const root = temporaryFolder();
      const wanted = query(tab, '2026-11-11', '2026-11-20');
      const whole = await openWindow(service, temporaryFolder(), clock).data.fetch(wanted, {
        signal: never(),
      });
      assert.deepEqual(asked(service), ['2026-11-11..2026-11-20 -']);
      const fault = service.fail({ kind: 'alter', alter: withoutBreakdown(tab, '2026-11-13') });
      const made = await openWindow(service, root, clock).data.fetch(wanted, { signal: never() });
      assert.deepEqual(asked(service).slice(1), [
        '2026-11-11..2026-11-20 -',
        `2026-11-11..2026-11-13 ${groups[tab]}`,
      ]);
      fault.dispose();
      agrees(made);
      const rows = (report: TabReport) => section(report, table[tab]).table.rows.map(({ cells }) => cells);
      if (tab === 'tokens') {
        // Only the days themselves tell tiers.
        const models = (report: TabReport) => [...new Set(rows(report).map(([model]) => model))].sort();
        assert.deepEqual(models(made), models(whole));
        assert.deepEqual(section(made, 'models').table.total, section(whole, 'models').table.total);
        assert.deepEqual(section(made, 'days').chart, section(whole, 'days').chart);
      } else assert.deepEqual(rows(made), rows(whole));
      // Another window finds it on disk.
      const count = asked(service).length;
      const later = await openWindow(service, root, clock).data.fetch(wanted, { signal: never() });
      assert.deepEqual(later.sections, made.sections);
      assert.equal(asked(service).length, count);
    });
  }

  it('keep their totals, and say what is missing, when the grouped question is refused', async () => {
    const clock = new Clock();
    const service = await sample(clock);
    const { data } = openWindow(service, temporaryFolder(), clock);
    service.fail({ kind: 'alter', alter: withoutBreakdown('tokens', '2026-11-20'), times: 1 });
    service.fail({ kind: 'status', status: 400 });
    const made = await data.fetch(query('tokens', '2026-11-19', '2026-11-20'), { signal: never() });
    assert.equal(made.missing, undefined);
    assert.ok((made.figures[0]?.value ?? 0) > 0);
    assert.deepEqual(
      section(made, 'models').table.rows.map(({ cells }) => cells[0]),
      ['Without a model'],
    );
    assert.deepEqual(
      made.notes.map(({ id, names }) => [id, names[0]?.sent]),
      [['unread', '2026-11-20: by_model: is missing, and group_by is answered with refused']],
    );
  });
});
