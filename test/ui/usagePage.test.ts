import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { chartOf } from '../../media/usage/plot';
import { daysOf } from '../../src/usage/report/calendar';
import { firstState, knownOf, tabIds, type PageState } from '../../src/usage/protocol';
import { bounds, FakeDashboard, FakeUsageSource, hostileNames, makeReport, people } from '../fakes/usage';
import { openPage, origin, themed, violations, type OpenPage } from './page';
import { themes, type Theme } from './stage';
import { untilTrue } from './waiting';

const TABS = ['Tokens', 'Tools', 'Activity', 'Productivity', 'People'];
describe('the usage page', () => {
  let stage: FakeDashboard & OpenPage;

  /** Opens it as it would be with what it has kept. Nothing may go wrong in it. */
  const open = async (kept: Partial<PageState> = {}, source?: FakeUsageSource, timezoneId = 'UTC') => {
    let shown: Page | undefined;
    const made = new FakeDashboard(
      message =>
        shown?.evaluate(`window.postMessage(${JSON.stringify(message)}, '*')`).catch(() => undefined),
      source,
    );
    const { classes, variables } = themed('dark');
    const opened = await openPage('usage', {
      context: { viewport: { width: 1100, height: 800 }, locale: 'en-US', bypassCSP: false, timezoneId },
      theme: classes,
      css: `:root { ${variables} }`,
      state: { ...firstState, ...kept },
      problems: made.problems,
      onMessage: (message, page) => {
        shown = page;
        made.panel?.receive(message);
      },
    });
    stage = Object.assign(made, opened);
    await stage.page.locator('h1').waitFor({ state: 'attached' });
    return stage;
  };
  afterEach(async function () {
    stage.dashboard.dispose();
    await stage.page.context().close();
    if (this.currentTest?.state === 'passed') assert.deepEqual(stage.problems, []);
  });

  const sees = async (...texts: readonly (string | RegExp)[]): Promise<void> => {
    for (const text of texts) await stage.page.getByText(text).waitFor();
  };
  const gone = (what: string | Locator): Promise<void> =>
    (typeof what === 'string' ? stage.page.getByText(what) : what).waitFor({ state: 'detached' });
  /** The figures of what is chosen are there. */
  const isDrawn = (): Promise<void> => stage.page.locator('.drawing:not(.waits) section').first().waitFor();
  const press = (name: string | RegExp): Promise<void> => stage.page.getByRole('button', { name }).click();
  const heading = (name: string | RegExp): Locator => stage.page.getByRole('heading', { name });
  const tab = (name: string): Locator => stage.page.getByRole('navigation').getByRole('button', { name });
  const section = (name: string): Locator => stage.page.getByRole('region', { name, exact: true });
  const range = (label: string) =>
    stage.page.getByRole('combobox', { name: 'Range' }).selectOption({ label });
  const check = (name: string): Locator => stage.page.getByRole('checkbox', { name });
  const cells = (of: string, column: number): Promise<string[]> =>
    section(of).locator(`tbody tr > :nth-child(${column})`).allInnerTexts();
  const lastAsked = () => stage.source.asked.at(-1)!;
  /** What the page shows now, in full. */
  const shown = () => makeReport(lastAsked(), { days: new Set(daysOf(bounds)) });
  const figure = (text: string | undefined): number => Number(text!.replace(/,/g, ''));

  it('walks its tabs with the keyboard from the cache, fits 300 pixels and a zoom of 200 %, and has no violation in any theme', async () => {
    const custom = { start: '2026-07-01', end: '2026-11-01' };
    const { page, source, requests } = await open({ compare: true, preset: 'custom', custom });
    await heading('Usage of org_01JH7ZK3QF5Y8').waitFor();
    await sees('Data through Nov 20, 2026 UTC', /fetched .*20\d\d.*\d:\d\d/);
    const found: string[] = [];
    await tab('Tokens').focus();
    for (const [index, name] of TABS.entries()) {
      for (const key of index > 0 ? ['Tab', 'Enter'] : []) await page.keyboard.press(key);
      await page.locator('nav [aria-current]').getByText(name).waitFor();
      await isDrawn();
      assert.equal(lastAsked().tab, tabIds[index]);
      for (const theme of name === 'Tools' ? (Object.keys(themes) as Theme[]) : (['light'] as const)) {
        const { classes, variables } = themed(theme);
        await page.evaluate(
          `document.documentElement.style.cssText = ${JSON.stringify(variables)};
          document.body.className = ${JSON.stringify(classes)}; drawn()`,
        );
        found.push(...(await violations(page.mainFrame())).map(each => `${name}, ${theme}: ${each}`));
      }
      for (const width of [300, 550, 1100]) {
        await page.setViewportSize({ width, height: 700 });
        await page.evaluate('drawn()');
        const beyond = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        if (beyond > 0) found.push(`${name} at ${width}: ${beyond} px too wide`);
      }
      if (name !== 'Productivity') continue;
      const labels = await page.locator('.scale span:not(.widest)').allInnerTexts();
      assert.ok(labels.length > 0);
      for (const label of labels) assert.match(label, /^\d+$|^\d+(\.\d)?[KM]$/, 'counts are whole');
    }
    assert.deepEqual(found, []);
    assert.deepEqual([source.asked.length, source.fetched.length], [5, 0]);
    assert.ok(requests.every(url => url.startsWith(`${origin}/`)));
  });

  for (const timezoneId of ['Pacific/Pago_Pago', 'Pacific/Kiritimati'])
    it(`asks for presets and for days of one’s own within what there is, the same in ${timezoneId}`, async () => {
      const { page, source } = await open({}, undefined, timezoneId);
      await range('7 days');
      await sees('Nov 14, 2026 – Nov 20, 2026 UTC, 7 days');
      await range('Custom');
      await sees('Days are UTC, from Jan 14, 2026 through Nov 20, 2026.');
      const from = page.getByLabel('From');
      assert.equal(await from.inputValue(), '2026-11-14');
      await from.fill('2026-11-19');
      await sees('Nov 19, 2026 – Nov 20, 2026 UTC, 2 days');
      assert.deepEqual(lastAsked().range, { start: '2026-11-19', end: '2026-11-20' });
      const before = source.asked.length;
      await page.getByLabel('to', { exact: true }).fill('2026-11-01');
      await sees('The range ends before it begins.');
      await from.fill('2025-12-31');
      await sees('Value must be 01/14/2026 or later');
      assert.equal(source.asked.length, before);
      // A year goes through days that are long ago.
      await from.focus();
      await page.keyboard.type('10302026');
      await sees('Oct 30, 2026 – Nov 1, 2026 UTC, 3 days');
      await check('Tables').check();
      await section('Tokens by day').getByRole('table').waitFor();
      assert.equal((await cells('Tokens by day', 1))[0], 'Oct 30, 2026');
    });

  it('reads a chart out to the keyboard and to the pointer, and gives it a table with the same figures', async () => {
    const { page } = await open({ compare: true });
    await isDrawn();
    const { sections, markers } = shown();
    const model = chartOf(sections[0]!, markers).series[0]!;
    const box = page.getByRole('slider', { name: 'Chart: Tokens by day' });
    const spoken = (text: string) => box.and(page.locator(`[aria-valuetext*="${text}"]`));
    const legend = (text: string) => section('Tokens by day').getByText(text).waitFor();
    const number = (value: Parameters<typeof knownOf>[0] | undefined) =>
      (knownOf(value ?? null) ?? 0).toLocaleString('en');
    await box.focus();
    await page.keyboard.press('End');
    await legend('Friday, November 20, 2026 UTC');
    const said = ((await box.getAttribute('aria-valuetext')) ?? '').split('. ');
    const figures = `${number(model.values.at(-1))}, before: ${number(model.previous!.at(-1))}`;
    assert.deepEqual(said.slice(0, 2), ['Friday, November 20, 2026 UTC', `${model.label}: ${figures}`]);
    for (let day = 0; day < 17; day++) await page.keyboard.press('ArrowLeft');
    await spoken('Controls, revision 45 · maxAutonomyLevel').waitFor();
    await page.keyboard.press('Home');
    await spoken('Thursday, October 22, 2026 UTC').waitFor();
    const { width } = (await box.boundingBox())!;
    await box.hover({ position: { x: width - 45, y: 80 } });
    await legend('Thursday, November 19, 2026 UTC');
    await legend('before: Oct 15, 2026');
    await legend(number(model.values.at(-2)));
    await section('Tokens by day').getByRole('checkbox', { name: model.label }).uncheck();
    await gone(spoken(model.label));
    await page.locator('.change *:text-matches("^before: [0-9.]+M$")').first().waitFor();
    await check('Tables').check();
    const { table } = sections[0]!;
    const rows = await section('Tokens by day').locator('tbody tr').allInnerTexts();
    const [day, before, billable, earlier] = rows[0]!.split('\t');
    assert.deepEqual([rows.length, day, before], [30, 'Oct 22, 2026', 'Sep 17, 2026']);
    assert.deepEqual([figure(billable), figure(earlier)], table.rows[0]!.cells.slice(2, 4));
    const total = (await cells('Tokens by day', 3)).map(figure).reduce((all, each) => all + each);
    const foot = await section('Tokens by day').locator('tfoot td').nth(1).innerText();
    assert.deepEqual([figure(foot), table.total![2]], [total, total]);
    const one = section('Tokens by day');
    await one.getByRole('searchbox').fill('Sep');
    await one.getByText('14 of 30 rows', { exact: true }).waitFor();
    await check('Tables').uncheck();
    await one.getByRole('button', { name: /^Copy this table/ }).click();
    await sees('Copied 30 rows.');
  });

  it('searches a long table, cuts a very long one, folds names where one wants that, and shows hostile names as text', async () => {
    const { page } = await open();
    await page.getByText(hostileNames[0]).first().waitFor();
    await page.getByRole('button', { name: hostileNames[2], exact: true }).first().waitFor();
    assert.equal(await page.locator('#root img, #root a, #root b, #root script').count(), 0);
    assert.equal(await page.title(), 'usage');
    let list = section('By person and model');
    const search = async (words: string, told: string): Promise<void> => {
      await list.getByRole('searchbox').fill(words);
      await list.getByText(told, { exact: true }).waitFor();
    };
    const rows = shown().sections.at(-1)!.table.rows.length;
    await search('', `${rows} rows`);
    await list.getByRole('searchbox').fill('HASHIMOTO hakon');
    await list.getByText(`of ${rows} rows`).waitFor();
    const found = await cells('By person and model', 1);
    assert.ok(found.length > 0 && found.every(name => name.includes('håkon.hashimoto')), found.join());
    await search('nobody at all', 'No row matches "nobody at all".');
    await tab('Productivity').click();
    list = section('By file extension');
    await list.getByText('The first 500 rows are shown. Search, or export, for the rest.').waitFor();
    assert.equal(await list.locator('tbody tr').count(), 500);
    await search('e1', '111 of 600 rows');
    await gone('The first 500 rows');
    await tab('Tools').click();
    const folded = section('MCP servers').getByText(/count as one: 2 spellings\.$/);
    await folded.waitFor();
    await section('MCP servers').getByRole('checkbox', { name: 'Merge and group names' }).uncheck();
    await gone(folded);
  });

  it('goes into a person and back, keeps names behind pseudonyms, sorts, and exports and copies what it shows', async () => {
    const { page, saved, copied } = await open({ tab: 'people' });
    const { id, name } = people[7]!;
    const person = /^Person [2-9A-Z]{6}$/;
    const list = section('People');
    const link = list.getByRole('button', { name, exact: true });
    await link.waitFor();
    await page.evaluate('window.scrollTo(0, 400)');
    await link.click();
    await page.getByRole('heading', { name, exact: true }).waitFor();
    const tabs = await page.getByRole('navigation').boundingBox();
    const back = await page.getByRole('button', { name: 'All people' }).boundingBox();
    assert.ok(tabs && back && back.y >= tabs.y + tabs.height, 'the way back is not below the tabs');
    assert.deepEqual([lastAsked().tab, lastAsked().person], ['people', id]);
    await check('Hide names').check();
    await heading(person).waitFor();
    await press('All people');
    await list.getByRole('button', { name: person }).first().waitFor();
    await press(/^JSON$/);
    await sees('Saved as usage-people-2026-10-22-2026-11-20.json.');
    const texts = [await page.content(), saved[0]!.text];
    for (const each of people.slice(5)) assert.ok(!texts.some(text => text.includes(each.name)), each.name);

    // The table as shown: what a search found, in the chosen order and columns.
    await list.getByRole('searchbox').fill('person 2');
    const sort = list.getByRole('columnheader', { name: 'Billable tokens' });
    for (const order of ['descending', 'ascending', 'none', 'descending']) {
      await sort.getByRole('button').click();
      await sort.and(page.locator(`[aria-sort=${order}]`)).waitFor();
    }
    const tokens = (await cells('People', 4)).map(figure);
    assert.equal(tokens.join(), tokens.toSorted((a, b) => b - a).join());
    await list.getByRole('button', { name: /^Copy this table/ }).click();
    await sees(/^Copied \d+ rows?\.$/);
    const rows = copied[0]!.split('\n').slice(1, -2);
    assert.ok(rows.every(row => person.test(row.split('\t')[0]!)));
    assert.equal(rows.map(row => figure(row.split('\t')[3])).join(), tokens.join());
    await list.getByRole('button', { name: /^Export this table/ }).click();
    await sees('Saved as usage-people-people-2026-10-22-2026-11-20.csv.');
    assert.equal(saved.at(-1)!.text.split('\r\n').length, tokens.length + 3);
  });

  it('fetches missing days by itself once, can be cancelled, is refreshed, and moves on with a new finished day', async () => {
    const source = new FakeUsageSource();
    source.forget(5);
    source.fetchGate = new Promise(() => undefined);
    const { page } = await open({ compare: true }, source);
    await page.getByRole('progressbar', { name: 'Fetching, page 2' }).waitFor();
    await press('Cancel');
    const said = page.getByRole('status').filter({ hasText: 'Fetching canceled. Showing the days' });
    await said.waitFor();
    await sees('5 of 30 days are missing.', 'not compared: some days');
    assert.equal(await page.locator('.figure .change').count(), 0);
    await page.getByText('Which days').click();
    await sees('Nov 16, 2026 – Nov 20, 2026');
    await check('Compare').uncheck();
    await check('Compare').check();
    await sees('not compared');
    assert.equal(source.fetched.length, 1);
    source.fetchGate = Promise.resolve();
    await press('Try again');
    await gone('5 of 30 days are missing.');
    assert.equal(await said.count(), 0);
    await sees('30 days, compared with the preceding period (same weekdays), Sep 17, 2026 – Oct 16, 2026');
    await press(/^Refresh/);
    await sees('Figures are up to date.');
    assert.equal(source.fetched.map(({ again }) => again).join(), 'false,false,true');
    source.bounds = { ...bounds, end: '2026-11-21' };
    source.become({ kind: 'ready' });
    await sees('Oct 23, 2026 – Nov 21, 2026 UTC');
    source.bounds = { ...bounds, end: '2026-11-22' };
    await press(/^Refresh/);
    await sees('Oct 24, 2026 – Nov 22, 2026 UTC');
    assert.deepEqual(source.fetched.at(-1)!.query.range, { start: '2026-10-24', end: '2026-11-22' });
  });

  it('says what could not be read, fetched or drawn and why, for as long as that is so, and calls no figures up to date meanwhile', async () => {
    const source = new FakeUsageSource();
    source.forget(2);
    source.problem = 'api.example.com cannot be reached. Check the network.';
    source.problems = ['user_7: messages: no number'];
    const { page, problems } = await open({}, source);
    await sees('could not be read and are not counted: 28.');
    await page.getByText('Which parts').click();
    await sees('user_7: messages: no number');
    const why = page.locator('.banner').getByText(source.problem);
    await sees(source.problem, '2 of 30 days are missing.');
    assert.equal(source.fetched.length, 1);
    // What is only read again from the cache still has its reason.
    await check('Hide names').check();
    await page.locator('button:text-matches("^Person [2-9A-Z]{6}$")').first().waitFor();
    await why.waitFor();
    const said = page.locator('.said');
    await press('Try again');
    await said.getByText(source.problem).waitFor();
    source.gate = Promise.reject(new Error('The disk is full.'));
    source.gate.catch(() => undefined);
    await check('Compare').check();
    await said.getByText('The disk is full.').waitFor();
    source.gate = Promise.resolve();
    await check('Compare').uncheck();
    await gone(said.getByText('The disk is full.'));
    assert.equal(problems.splice(0).length, 1);
    source.forget();
    await press(/^Refresh/);
    await heading('No figures for these days yet').waitFor();
    await sees('30 of 30 days are missing.');
    // Somebody signs in with another key.
    source.problem = source.orgId = undefined;
    source.become({ kind: 'ready' });
    await gone(why);
    await gone('days are missing');
    source.forget(2);
    source.fetch = () => Promise.resolve(undefined);
    await press(/^Refresh/);
    await sees('2 of 30 days are missing.');
    await gone(page.locator('.status progress'));
    await page.evaluate('drawn()');
    assert.equal(await page.getByText('Figures are up to date.').count(), 0);
  });

  it('keeps what it has drawn while an answer takes long, but no name that is to be hidden; and what one chose of its tables', async () => {
    const { page, source } = await open();
    const hold = () => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      source.gate = promise;
      return () => resolve(undefined);
    };
    const json = (disabled: boolean) => page.getByRole('button', { name: 'JSON', disabled });
    const search = section('Tokens by day').getByRole('searchbox');
    await check('Tables').check();
    await search.fill('Nov 1');
    let answer = hold();
    await check('Hide names').check();
    await page.locator('.late', { hasText: 'Loading' }).waitFor();
    await json(true).waitFor();
    assert.equal(await page.locator('.drawing').isVisible(), false);
    answer();
    await json(false).waitFor();
    assert.equal(await search.inputValue(), 'Nov 1');
    await section('Tokens by day').getByText('20 of 30 rows').waitFor();
    answer = hold();
    await range('7 days');
    await page.locator('.drawing.waits').waitFor();
    await sees('Oct 22, 2026 – Nov 20, 2026 UTC');
    answer();
    // A search can be taken back where the table has become short.
    await search.fill('2026-10');
    await sees('No row matches "2026-10".');
    await search.fill('');
    await section('Tokens by day').getByText('7 rows').waitFor();
    answer = hold();
    await tab('Tools').click();
    await page.locator('.drawing.waits').waitFor();
    answer();
    await section('Tool calls by day').getByRole('table').waitFor();
  });

  it('says that a person is signed out or may not, and comes to life again', async () => {
    const source = new FakeUsageSource();
    const signedOut = { kind: 'signedOut', sentence: 'Sign in to see usage.' } as const;
    source.become(signedOut);
    const { page } = await open({}, source);
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
    await gone(heading('Not signed in'));
    assert.equal(await heading('Tokens by day').count(), 0);
  });

  it('is where it was after a reload', async () => {
    const { page, dashboard } = await open({ tab: 'people' });
    await range('90 days');
    await check('Compare').check();
    // The page may not be so high yet.
    await untilTrue(page, `(scrollTo(0, 300), JSON.parse(sessionStorage.getItem('state')).scroll === 300)`);
    dashboard.pageGone();
    await page.reload();
    await sees('Aug 23, 2026 – Nov 20, 2026 UTC, 90 days');
    await untilTrue(page, 'scrollY === 300');
    assert.deepEqual([lastAsked().tab, lastAsked().compare], ['people', true]);
  });
});
