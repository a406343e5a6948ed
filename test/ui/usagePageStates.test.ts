import assert from 'node:assert/strict';
import { tabIds } from '../../src/usage/protocol';
import { FakeUsageSource } from '../fakes/usage';
import { violations } from './page';
import { until } from '../until';
import { usagePage } from './usageStage';
import { untilTrue } from './waiting';

describe('states of the usage page', () => {
  const { close, open, tab, chosenTab, section, range, check, lastAsked, ...of } = usagePage();
  const { sees, gone, isDrawn, press } = of;
  /** A source that lacks the newest days. */
  const lacking = (days?: number): FakeUsageSource => {
    const source = new FakeUsageSource();
    source.forget(days);
    return source;
  };

  /** Keeps answers back until it is called. */
  const hold = (source: FakeUsageSource): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    source.gate = promise;
    return () => resolve(undefined);
  };

  it('keeps what it has drawn while an answer takes long, and says so after a while', async () => {
    const { page, source } = await open();
    await isDrawn();
    const answer = hold(source);
    await range('90 days');
    await page.locator('.drawing.waits').waitFor();
    await sees('Oct 22, 2026 – Nov 20, 2026 UTC');
    await tab('Tools').click();
    await page.getByRole('heading', { name: 'Loading' }).waitFor();
    answer();
    await page.locator('.drawing:not(.waits)').getByRole('heading', { name: 'Tool calls by day' }).waitFor();
  });

  it('fetches missing days by itself once, shows how far it is, and can be cancelled', async () => {
    const source = lacking(5);
    source.fetchGate = new Promise(() => undefined);
    const { page } = await open({ compare: true }, { source });
    await page.getByRole('progressbar', { name: 'Fetching 12 of 30 days' }).waitFor();
    await press('Cancel');
    const said = page.getByRole('status').filter({ hasText: 'was cancelled. What is known is shown.' });
    await said.waitFor();
    await sees('5 of 30 days are missing.', 'not compared, since not all of these days');
    assert.equal(await page.locator('.figure .change').count(), 0);
    await page.getByText('Which days').click();
    await sees('Nov 16, 2026 – Nov 20, 2026');
    assert.equal(source.fetched.length, 1);
    source.fetchGate = Promise.resolve();
    await press('Try again');
    await gone('5 of 30 days are missing.');
    assert.equal(await said.count(), 0);
    await sees('30 days, compared with the same weekdays before, Sep 17, 2026 – Oct 16, 2026');
    await page.locator('.figure .change').first().waitFor();
    await press(/^Refresh/);
    await sees('Figures are up to date.');
    assert.equal(source.fetched.map(({ again }) => again).join(), 'false,false,true');
  });

  it('says why days are missing', async () => {
    const source = lacking(2);
    source.problem = 'api.example.com cannot be reached. Check the network.';
    const { page } = await open({}, { source });
    await sees(source.problem);
    assert.equal(source.fetched.length, 1);
    // What is only read again from the cache still has its reason.
    await check('Hide names').check();
    await page.locator('button:text-matches("^Person [2-9A-Z]{6}$")').first().waitFor();
    const why = page.locator('.banner').getByText(source.problem);
    await why.waitFor();
    await press('Try again');
    await page.locator('.said').getByText(source.problem).waitFor();
    source.forget(0);
    source.become({ kind: 'ready' });
    await gone('days are missing');
    await why.waitFor({ state: 'detached' });
    source.forget(2);
    await press(/^Refresh/);
    await why.waitFor();
    // Somebody signs in with another key.
    source.problem = source.orgId = undefined;
    source.become({ kind: 'ready' });
    await why.waitFor({ state: 'detached' });
    await gone('days are missing');
  });

  it('does not call figures up to date while days have not come, and tells days without figures from days nobody knows', async () => {
    const source = lacking(2);
    source.fetch = () => Promise.resolve(undefined);
    const { page } = await open({}, { source });
    await sees('2 of 30 days are missing.');
    const asked = source.asked.length;
    await press(/^Refresh/);
    await until(() => source.asked.length > asked);
    await page.locator('.status progress').waitFor({ state: 'detached' });
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
    assert.equal(await page.getByText('Figures are up to date.').count(), 0);
    delete (source as Partial<FakeUsageSource>).fetch;
    source.forget();
    source.problem = 'api.example.com answered 500 (request req_9).';
    await press(/^Refresh/);
    await page.getByRole('heading', { name: 'Nothing is known about these days yet' }).waitFor();
    await sees('30 of 30 days are missing.');
    await page.locator('.banner').getByText(source.problem).waitFor();
  });

  it('neither shows nor exports a name that is to be hidden, and keeps what one chose of its tables', async () => {
    const { page, source } = await open({ tab: 'tokens' });
    const json = (disabled: boolean) => page.getByRole('button', { name: 'JSON', disabled });
    const search = section('Tokens by day').getByRole('searchbox');
    await check('Tables').check();
    await search.fill('Nov 1');
    const answer = hold(source);
    await check('Hide names').check();
    await page.getByRole('heading', { name: 'Loading' }).waitFor();
    await json(true).waitFor();
    assert.equal(await page.locator('.drawing').isVisible(), false);
    answer();
    await json(false).waitFor();
    assert.equal(await search.inputValue(), 'Nov 1');
    // A search can be taken back where the table has become short.
    await range('7 days');
    await search.fill('2026-10');
    await sees('No row matches "2026-10".');
    await search.fill('');
    await section('Tokens by day').getByText('7 rows').waitFor();
    await tab('Tools').click();
    await section('Tool calls by day').getByRole('table').waitFor();
  });

  it('says what could not be read of the answers, and that figures cannot be had for as long as they cannot', async () => {
    const source = new FakeUsageSource();
    source.problems = ['user_7: messages: no number'];
    const { page, problems } = await open({}, { source });
    await sees('could not be read and are not counted: 30.');
    await page.getByText('Which parts').click();
    await sees('user_7: messages: no number');
    source.gate = Promise.reject(new Error('The disk is full.'));
    source.gate.catch(() => undefined);
    await check('Compare').check();
    const said = page.locator('.said').getByText('The disk is full.');
    await said.waitFor();
    source.gate = Promise.resolve();
    await check('Compare').uncheck();
    await said.waitFor({ state: 'detached' });
    assert.equal(problems.splice(0).length, 1);
  });

  it('says that a person is signed out or may not, and comes to life again', async () => {
    const source = new FakeUsageSource();
    const signedOut = { kind: 'signedOut', sentence: 'Sign in to see usage.' } as const;
    source.become(signedOut);
    const stage = await open({}, { source });
    const { page } = stage;
    const heading = (name: string) => page.getByRole('heading', { name });
    await heading('Not signed in').waitFor();
    await press('Sign in');
    const sentence = 'Analytics needs the Manager or Owner role (403, request r1).';
    source.become({ kind: 'forbidden', sentence });
    await sees(sentence);
    assert.deepEqual(await violations(page.mainFrame()), []);
    source.become({ kind: 'ready' });
    await heading('Tokens by day').waitFor();
    assert.equal(stage.signIns, 1);
    // Whoever comes next may have another key: nothing of this one is shown to them, whatever is answered.
    source.become(signedOut);
    await heading('Not signed in').waitFor();
    source.gate = new Promise(() => undefined);
    source.become({ kind: 'ready' });
    await heading('Not signed in').waitFor({ state: 'detached' });
    assert.equal(await heading('Tokens by day').count(), 0);
  });

  it('moves on with a new finished day, also when it is told to refresh', async () => {
    const { source } = await open();
    await sees('Oct 22, 2026 – Nov 20, 2026 UTC');
    source.bounds = { ...source.bounds, end: '2026-11-21' };
    source.become({ kind: 'ready' });
    await sees('Oct 23, 2026 – Nov 21, 2026 UTC');
    source.bounds = { ...source.bounds, end: '2026-11-22' };
    await press(/^Refresh/);
    await sees('Oct 24, 2026 – Nov 22, 2026 UTC');
    const { query, again } = source.fetched.at(-1)!;
    assert.deepEqual([query.range, again], [{ start: '2026-10-24', end: '2026-11-22' }, true]);
  });

  it('shows what was folded, and the names as they were sent', async () => {
    await open({ tab: 'tools' });
    const servers = section('MCP servers');
    const merged = (of: string) => section(of).getByRole('checkbox', { name: 'Merge and group names' });
    const note = servers.getByText(/count as one: 2 spellings, 1 server\.$/);
    await note.waitFor();
    await sees(/less than 0\.1% of the calls, are combined in one row: 1 name, 30 calls\.$/);
    await merged('MCP servers').uncheck();
    await note.waitFor({ state: 'detached' });
    assert.equal(lastAsked().folded, false);
    assert.equal(await servers.locator('tbody tr').count(), 5);
    await merged('By tool').check();
    await note.waitFor();
  });

  it('is where it was after a reload', async () => {
    const { page, source, dashboard } = await open({ tab: 'people' });
    await range('90 days');
    await check('Compare').check();
    await page.mouse.wheel(0, 300);
    await page.evaluate(`new Promise(kept => {
      const look = () => {
        // The page may not have been so high yet.
        if (scrollY !== 300) scrollTo(0, 300);
        JSON.parse(sessionStorage.getItem('state')).scroll === 300 ? kept() : requestAnimationFrame(look);
      };
      look();
    })`);
    dashboard.pageGone();
    await page.reload();
    await sees('Aug 23, 2026 – Nov 20, 2026 UTC, 90 days');
    await chosenTab().getByText('People').waitFor();
    await untilTrue(page, 'scrollY === 300');
    assert.equal(source.asked.at(-1)?.compare, true);
  });

  it('fits 300 pixels and a zoom of 200 %, and has whole numbers on the axes of counts', async () => {
    for (const context of [
      { viewport: { width: 300, height: 700 } },
      { viewport: { width: 550, height: 400 }, deviceScaleFactor: 2 },
    ]) {
      const custom = { start: '2026-03-01', end: '2026-11-01' };
      const { page } = await open({ compare: true, preset: 'custom', custom }, { context });
      for (const [index, name] of ['Tokens', 'Tools', 'Activity', 'Productivity', 'People'].entries()) {
        await tab(name).click();
        await isDrawn();
        assert.equal(lastAsked().tab, tabIds[index]);
        const [whole, seen] = await page.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
        );
        assert.ok(whole <= seen, `${name} at ${context.viewport.width}: ${whole} > ${seen}`);
        if (name !== 'Productivity') continue;
        const labels = await page.locator('.scale span:not(.widest)').allInnerTexts();
        assert.ok(labels.length > 0);
        for (const label of labels) assert.match(label, /^\d+$|^\d+(\.\d)?[KM]$/);
      }
      await close();
    }
  });
});
