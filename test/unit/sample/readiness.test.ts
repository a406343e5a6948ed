import assert from 'node:assert/strict';
import { NOW, Sample } from './harness';

interface Report {
  readonly reportId: string;
  readonly createdAt: number;
  readonly repoUrl: string;
  readonly commitHash?: string;
  readonly apps: Readonly<Record<string, unknown>>;
  readonly report: Readonly<Record<string, { numerator: number; denominator: number; rationale: string }>>;
}

const reports = async (sample: Sample, query = ''): Promise<readonly Report[]> => {
  const path = `/api/organization/maturity-level-reports${query}`;
  return (await sample.ok<{ reports: Report[] }>(path, { app: true })).reports;
};

function score({ report }: Report): number {
  const sum = (name: 'numerator' | 'denominator'): number =>
    Object.values(report).reduce((all, value) => all + value[name], 0);
  return sum('numerator') / sum('denominator');
}

describe('the readiness reports of the sample', () => {
  const repository = (url: string) => ({
    url,
    commits: [{ hash: 'c'.repeat(40), at: Date.UTC(2026, 2, 1) }],
  });

  it('are a series for several repositories that gets better over time', async () => {
    const all = await reports(new Sample());
    const urls = [...new Set(all.map(report => report.repoUrl))];
    assert.deepEqual(urls.map(url => /acme\/\w+/.exec(url)?.[0]).sort(), [
      'acme/billing',
      'acme/shop',
      'acme/site',
    ]);
    for (const url of urls) {
      const series = all.filter(report => report.repoUrl === url);
      assert.ok(series.length >= 5);
      assert.ok(score(series[0]!) > score(series.at(-1)!) + 0.15);
      for (const { report, apps } of series) {
        for (const { numerator, denominator, rationale } of Object.values(report)) {
          assert.ok([1, Object.keys(apps).length].includes(denominator) && numerator <= denominator);
          assert.ok(rationale.length > 10);
        }
      }
    }
    assert.equal(new Set(all.map(report => report.reportId)).size, all.length);
    const times = all.map(({ createdAt }) => createdAt);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
    assert.ok(times.every(time => time <= NOW));
    const partial = all
      .flatMap(({ report }) => Object.values(report))
      .find(({ numerator, denominator }) => numerator === 1 && denominator === 3);
    assert.match(partial?.rationale ?? '', /`[\w/]+`, `[\w/]+`/);
  });

  it('page by the last report id and filter by repository', async () => {
    const sample = new Sample();
    const all = await reports(sample);
    for (const limit of [1, 5, all.length, 1000]) {
      const seen: Report[] = [];
      for (let page: readonly Report[] = []; ;) {
        const last = seen.at(-1);
        page = await reports(sample, `?limit=${limit}${last ? `&startAfter=${last.reportId}` : ''}`);
        seen.push(...page);
        if (page.length < limit) break;
      }
      assert.deepEqual(seen, all);
    }
    assert.deepEqual(await reports(sample, '?repoId=unknown'), []);
  });

  it('include the open repository with its commits', async () => {
    const url = 'git@git.example.org:team/app.git';
    const all = await reports(new Sample({ openRepository: repository(url) }));
    const open = all.filter(({ repoUrl }) => repoUrl === url);
    assert.ok(open.length > 5);
    assert.equal(open[0]?.commitHash, 'c'.repeat(40));
  });

  it('do not add a repository that is there already, in whatever form', async () => {
    const plain = await reports(new Sample());
    for (const url of [
      'git@git.example.com:acme/shop.git',
      'ssh://git@git.example.com:7999/acme/shop.git',
      'https://x@git.example.com/acme/Shop/',
    ]) {
      const openRepository = { url, commits: [] };
      assert.deepEqual(await reports(new Sample({ openRepository })), plain, url);
    }
  });
});
