import assert from 'node:assert/strict';
import { type SampleService } from '../../../src/sample';
import { readinessReports } from './contract';
import { closeAll, ManualClock, NOW, ok, start } from './harness';

const PATH = '/api/organization/maturity-level-reports';

function reports(service: SampleService, query = '') {
  return ok(service, PATH + query, readinessReports, { origin: 'app' }).then(body => body.reports);
}

function score(report: Record<string, { numerator: number; denominator: number }>): number {
  const values = Object.values(report);
  const sum = (pick: (value: (typeof values)[number]) => number): number =>
    values.reduce((all, value) => all + pick(value), 0);
  return sum(value => value.numerator) / sum(value => value.denominator);
}

describe('sample service: readiness', () => {
  afterEach(closeAll);

  it('has a series of reports for several repositories that gets better over time', async () => {
    const all = await reports(await start());
    const urls = [...new Set(all.map(report => report.repoUrl))];
    assert.deepEqual(urls.map(url => /acme\/\w+/.exec(url)?.[0]).sort(), [
      'acme/billing',
      'acme/shop',
      'acme/site',
    ]);
    for (const url of urls) {
      const series = all.filter(report => report.repoUrl === url);
      assert.ok(series.length >= 5);
      const [newest] = series;
      const oldest = series.at(-1);
      assert.ok(newest && oldest && score(newest.report) > score(oldest.report) + 0.15);
      for (const report of series) {
        for (const criterion of Object.values(report.report)) {
          assert.ok(criterion.denominator >= 1 && criterion.numerator <= criterion.denominator);
          assert.ok([1, Object.keys(report.apps).length].includes(criterion.denominator));
          assert.ok(criterion.rationale.length > 10);
        }
      }
    }
    assert.equal(new Set(all.map(report => report.reportId)).size, all.length);
    assert.deepEqual(
      all,
      all.toSorted((a, b) => b.createdAt - a.createdAt),
    );
    assert.ok(all.every(report => report.createdAt <= NOW));
    const partial = all
      .flatMap(report => Object.values(report.report))
      .find(c => c.numerator === 1 && c.denominator === 3);
    assert.match(partial?.rationale ?? '', /`[\w/]+`, `[\w/]+`/);
  });

  it('pages by the last report id and filters by repository', async () => {
    const service = await start();
    const all = await reports(service);
    for (const limit of [1, 5, all.length, 1000]) {
      const seen: typeof all = [];
      for (;;) {
        const last = seen.at(-1);
        const page = await reports(service, `?limit=${limit}${last ? `&startAfter=${last.reportId}` : ''}`);
        seen.push(...page);
        if (page.length < limit) break;
      }
      assert.deepEqual(seen, all);
    }
    assert.deepEqual(await reports(service, '?repoId=unknown'), []);
  });

  it('adds the open repository, without the credentials of its address', async () => {
    for (const [given, shown] of [
      ['https://me:secret@git.example.org/team/app.git', 'https://git.example.org/team/app.git'],
      ['https://token@git.example.org/team/app', 'https://git.example.org/team/app'],
      ['ssh://git:secret@git.example.org/team/app', 'ssh://git@git.example.org/team/app'],
      ['git@git.example.org:team/app.git', 'git@git.example.org:team/app.git'],
    ] as const) {
      const all = await reports(await start({ openRepositoryUrl: given }));
      const open = all.filter(report => report.repoUrl === shown);
      assert.ok(open.length > 5, shown);
      assert.ok(!JSON.stringify(all).includes('secret@'));
    }
  });

  it('does not add a repository that is there already, in whatever form', async () => {
    const plain = await reports(await start());
    for (const openRepositoryUrl of [
      'git@git.example.com:acme/shop.git',
      'ssh://git@git.example.com/acme/shop',
      'ssh://git@git.example.com:7999/acme/shop.git',
      'https://x@git.example.com/acme/Shop/',
    ]) {
      assert.deepEqual(await reports(await start({ openRepositoryUrl })), plain, openRepositoryUrl);
    }
  });

  it('only ever adds reports', async () => {
    const clock = new ManualClock();
    const service = await start({ now: clock.now });
    const before = await reports(service);
    clock.advance(60 * 86_400_000);
    const after = await reports(service);
    assert.ok(after.length > before.length);
    assert.deepEqual(after.slice(after.length - before.length), before);
  });
});
