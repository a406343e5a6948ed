import assert from 'node:assert/strict';
import { tabIds } from '../../src/usage/protocol';
import { hostileNames, FakeUsageSource } from '../fakes/usage';
import { violations } from './page';
import { usagePage } from './usageStage';
import { untilTrue } from './waiting';

describe('states of the usage page', () => {
  const { close, open, tab, chosenTab, section, range, check, lastAsked } = usagePage();

  it('keeps what it has drawn while an answer takes long, and says so after a while', async () => {
    const { page, source } = await open();
    await page.locator('.drawing section').first().waitFor();
    let answer = (): void => undefined;
    source.gate = new Promise<void>(resolve => (answer = resolve));
    await range('90 days');
    await page.locator('.drawing.waits').waitFor();
    await page.getByText('Oct 22, 2026 – Nov 20, 2026 UTC').waitFor();
    await tab('Tools').click();
    await page.getByRole('heading', { name: 'Loading' }).waitFor();
    answer();
    await page.locator('.drawing:not(.waits)').getByRole('heading', { name: 'Tool calls by day' }).waitFor();
  });

  it('fetches missing days by itself once, shows how far it is, and can be cancelled', async () => {
    const source = new FakeUsageSource();
    source.forget(5);
    source.fetchGate = new Promise(() => undefined);
    const { page } = await open({ compare: true }, { source });
    await page.getByRole('progressbar', { name: 'Fetching 12 of 30 days' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const said = page
      .getByRole('status')
      .filter({ hasText: 'Fetching was cancelled. What is known is shown.' });
    await said.waitFor();
    await page.getByText('5 of 30 days are missing.').waitFor();
    await page
      .getByText('not compared, since not all of these days and the same weekdays before have figures')
      .waitFor();
    assert.equal(await page.locator('.figure .change').count(), 0);
    await page.getByText('Which days').click();
    await page.getByText('Nov 16, 2026 – Nov 20, 2026').waitFor();
    assert.equal(source.fetched.length, 1);
    source.fetchGate = Promise.resolve();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('5 of 30 days are missing.').waitFor({ state: 'detached' });
    assert.equal(await said.count(), 0);
    await page
      .getByText('30 days, compared with the same weekdays before, Sep 17, 2026 – Oct 16, 2026')
      .waitFor();
    await page.locator('.figure .change').first().waitFor();
    await page.getByRole('button', { name: /^Refresh/ }).click();
    await page.getByText('Figures are up to date.').waitFor();
    assert.deepEqual(
      source.fetched.map(({ again }) => again),
      [false, false, true],
    );
  });

  it('goes on fetching when something else than the days is chosen, and fetches days that were left', async () => {
    const source = new FakeUsageSource();
    source.forget(5);
    let arrive: (_: undefined) => void = () => undefined;
    source.fetchGate = new Promise(resolve => (arrive = resolve));
    const { page } = await open({}, { source });
    const progress = page.getByRole('progressbar').first();
    await progress.waitFor();
    await check('Hide names').check();
    await tab('Tools').click();
    await progress.waitFor();
    await tab('Tokens').click();
    await progress.waitFor();
    await check('Compare').check();
    arrive(undefined);
    await page.getByText('5 of 30 days are missing.').waitFor({ state: 'detached' });
    await page.locator('.figure .change').first().waitFor();
    assert.deepEqual(
      source.fetched.map(({ query }) => query.tab),
      ['tokens', 'tools', 'tokens'],
    );
  });

  it('says why days are missing', async () => {
    const source = new FakeUsageSource();
    source.forget(2);
    source.problem = 'api.example.com cannot be reached. Check the network.';
    const { page } = await open({}, { source });
    await page.getByText(source.problem).waitFor();
    assert.equal(source.fetched.length, 1);
    // What is only read again from the cache still has its reason.
    await check('Hide names').check();
    await page
      .getByRole('button', { name: /^Person [2-9A-Z]{6}$/ })
      .first()
      .waitFor();
    await page.locator('.banner').getByText(source.problem).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.said').getByText(source.problem).waitFor();
    const why = page.locator('.banner').getByText(source.problem);
    source.forget(0);
    source.become({ kind: 'ready' });
    await page.getByText('days are missing').waitFor({ state: 'detached' });
    await why.waitFor({ state: 'detached' });
    source.forget(2);
    await page.getByRole('button', { name: /^Refresh/ }).click();
    await why.waitFor();
    // Somebody signs in with another key.
    source.problem = source.orgId = undefined;
    source.become({ kind: 'ready' });
    await why.waitFor({ state: 'detached' });
    await page.getByText('days are missing').waitFor({ state: 'detached' });
  });

  it('does not call figures up to date while days have not come', async () => {
    const source = new FakeUsageSource();
    source.forget(2);
    source.fetch = () => Promise.resolve(undefined);
    const { page } = await open({}, { source });
    await page.getByText('2 of 30 days are missing.').waitFor();
    const asked = source.asked.length;
    await page.getByRole('button', { name: /^Refresh/ }).click();
    await page.locator('.status progress').waitFor({ state: 'detached' });
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
    assert.ok(source.asked.length > asked);
    assert.equal(await page.getByText('Figures are up to date.').count(), 0);
  });

  it('neither shows nor exports a name that is to be hidden, and keeps what one chose of its tables', async () => {
    const { page, source } = await open({ tab: 'tokens' });
    const json = (disabled: boolean) => page.getByRole('button', { name: 'JSON', disabled });
    const days = section('Tokens by day');
    await check('Tables').check();
    await days.getByRole('searchbox').fill('Nov 1');
    let answer = (): void => undefined;
    source.gate = new Promise<void>(resolve => (answer = resolve));
    await check('Hide names').check();
    await page.getByRole('heading', { name: 'Loading' }).waitFor();
    await json(true).waitFor();
    assert.equal(await page.locator('.drawing').isVisible(), false);
    answer();
    await json(false).waitFor();
    assert.equal(await days.getByRole('searchbox').inputValue(), 'Nov 1');
    await tab('Tools').click();
    await section('Tool calls by day').getByRole('table').waitFor();
  });

  it('says what could not be read of the answers', async () => {
    const source = new FakeUsageSource();
    source.problems = ['user_7: messages: no number'];
    const { page } = await open({}, { source });
    await page.getByText('could not be read and are not counted: 30.').waitFor();
    await page.getByText('Which parts').click();
    await page.getByText('user_7: messages: no number').waitFor();
  });

  it('says that figures cannot be had for as long as they cannot', async () => {
    const { page, source, problems } = await open();
    await page.locator('.drawing section').first().waitFor();
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

  it('lets a search be taken back in a table that has become short', async () => {
    await open();
    await check('Tables').check();
    const days = section('Tokens by day');
    const search = days.getByRole('searchbox');
    await search.fill('2026-10');
    await days.getByText('10 of 30 rows').waitFor();
    await range('7 days');
    await days.getByText('No row matches "2026-10".').waitFor();
    await search.fill('');
    await days.getByText('7 rows').waitFor();
    assert.equal(await search.count(), 1);
  });

  it('tells days without figures from days nobody knows', async () => {
    const source = new FakeUsageSource();
    source.forget();
    source.problem = 'api.example.com answered 500 (request req_9).';
    const { page } = await open({}, { source });
    await page.getByRole('heading', { name: 'Nothing is known about these days yet' }).waitFor();
    await page.getByText(source.problem).waitFor();
    await page.getByText('30 of 30 days are missing.').waitFor();
  });

  it('says that a person is signed out or may not, and comes to life again', async () => {
    const source = new FakeUsageSource();
    source.become({ kind: 'signedOut', sentence: 'Sign in to see usage.' });
    const stage = await open({}, { source });
    const { page } = stage;
    await page.getByRole('heading', { name: 'Not signed in' }).waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    source.become({
      kind: 'forbidden',
      sentence: 'Analytics needs the Manager or Owner role (403, request r1).',
    });
    await page.getByText('Analytics needs the Manager or Owner role (403, request r1).').waitFor();
    assert.deepEqual(await violations(page.mainFrame()), []);
    source.become({ kind: 'ready' });
    await page.getByRole('heading', { name: 'Tokens by day' }).waitFor();
    assert.equal(stage.signIns, 1);
    // Whoever comes next may have another key: nothing of this one is shown to them, whatever is answered.
    source.become({ kind: 'signedOut', sentence: 'Sign in to see usage.' });
    await page.getByRole('heading', { name: 'Not signed in' }).waitFor();
    source.gate = new Promise(() => undefined);
    source.become({ kind: 'ready' });
    await page.getByRole('heading', { name: 'Not signed in' }).waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('heading', { name: 'Tokens by day' }).count(), 0);
  });

  it('moves on with a new finished day, also when it is told to refresh', async () => {
    const { page, source } = await open();
    await page.getByText('Oct 22, 2026 – Nov 20, 2026 UTC').waitFor();
    source.bounds = { ...source.bounds, end: '2026-11-21' };
    source.become({ kind: 'ready' });
    await page.getByText('Oct 23, 2026 – Nov 21, 2026 UTC').waitFor();
    assert.deepEqual(lastAsked().range, { start: '2026-10-23', end: '2026-11-21' });
    source.bounds = { ...source.bounds, end: '2026-11-22' };
    await page.getByRole('button', { name: /^Refresh/ }).click();
    await page.getByText('Oct 24, 2026 – Nov 22, 2026 UTC').waitFor();
    const { query, again } = source.fetched.at(-1)!;
    assert.deepEqual([query.range.end, again], ['2026-11-22', true]);
  });

  it('shows what was folded, and the names as they were sent', async () => {
    await open({ tab: 'tools' });
    const servers = section('MCP servers');
    const note = servers.getByText(/count as one: 2 spellings, 1 server\.$/);
    await note.waitFor();
    await section('By tool')
      .getByText(/less than 0\.1% of the calls, are combined in one row: 1 name, 30 calls\.$/)
      .waitFor();
    await servers.getByRole('checkbox', { name: 'Merge and group names' }).uncheck();
    await note.waitFor({ state: 'detached' });
    assert.equal(lastAsked().folded, false);
    assert.equal(await servers.locator('tbody tr').count(), 5);
    await section('By tool').getByRole('checkbox', { name: 'Merge and group names' }).check();
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
    await page.getByText('Aug 23, 2026 – Nov 20, 2026 UTC, 90 days').waitFor();
    await chosenTab().getByText('People').waitFor();
    await untilTrue(page, 'scrollY === 300');
    assert.equal(source.asked.at(-1)?.compare, true);
  });

  it('fits 300 pixels and a zoom of 200 %, and no figure moves when it is looked at', async () => {
    for (const context of [
      { viewport: { width: 300, height: 700 } },
      { viewport: { width: 550, height: 400 }, deviceScaleFactor: 2 },
    ]) {
      for (const name of tabIds) {
        const custom = { start: '2026-03-01', end: '2026-11-01' };
        const { page } = await open({ tab: name, compare: true, preset: 'custom', custom }, { context });
        await page.locator('.drawing section').first().waitFor();
        const [whole, seen] = await page.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
        );
        assert.ok(whole <= seen, `${name} at ${context.viewport.width}: ${whole} > ${seen}`);
        await close();
      }
    }
  });

  it('has whole numbers on the axes of counts', async () => {
    const { page } = await open({ tab: 'productivity' });
    await page.locator('.scale span:not(.widest)').first().waitFor();
    const labels = await page.locator('.scale span:not(.widest)').allInnerTexts();
    assert.deepEqual(
      labels.filter(label => !/^\d+(\.\d)?K?M?$/.test(label) || /^\d*\.\d+$/.test(label)),
      [],
    );
  });

  it('shows hostile names as text', async () => {
    const { page } = await open({ tab: 'tokens' });
    await page.getByText(hostileNames[0]).first().waitFor();
    await page.getByRole('button', { name: hostileNames[2], exact: true }).first().waitFor();
    assert.equal(await page.locator('#root img, #root a, #root b, #root script').count(), 0);
    assert.equal(await page.title(), 'usage');
  });
});
