import assert from 'node:assert/strict';
import { firstState, knownOf, tabIds, type PageState, type Value } from '../../src/usage/show/protocol';
import { hostileNames, makeReport, people, daysOf, bounds } from '../fakes/usageReports';
import { violations } from './axe';
import { themeVariables, type PageTheme } from './themeVariables';
import { openTheatre, type StageOptions, type UsageStage } from './usageStage';

const themes = Object.keys(themeVariables) as PageTheme[];

describe('the usage page', () => {
  let theatre: Awaited<ReturnType<typeof openTheatre>>;
  let stage: UsageStage;

  before(async () => {
    theatre = await openTheatre();
  });
  after(() => theatre.close());
  afterEach(async function () {
    const { problems } = stage;
    await stage.close();
    if (this.currentTest?.state === 'passed') assert.deepEqual(problems, []);
  });

  const open = async (kept: Partial<PageState> = {}, options: StageOptions = {}): Promise<UsageStage> => {
    stage = await theatre.stage({ kept: { ...firstState, ...kept }, ...options });
    await stage.page.locator('h1').waitFor({ state: 'attached' });
    return stage;
  };
  const tab = (name: string) => stage.page.getByRole('tab', { name });
  const section = (name: string) => stage.page.getByRole('region', { name, exact: true });
  const chart = (name: string) => stage.page.getByRole('application', { name: `Chart: ${name}` });
  const cells = async (of: string, column: number): Promise<string[]> =>
    section(of).locator(`tbody tr > :nth-child(${column})`).allInnerTexts();
  const lastAsked = () => stage.source.asked.at(-1)!;

  it('shows what is cached in its first frame, and asks nothing of the network', async () => {
    const { page, source, requests } = await open({ tab: 'tokens' });
    await page.getByRole('heading', { name: 'Usage of org_01JH7ZK3QF5Y8' }).waitFor();
    await page.getByText('Data through Nov 20, 2026 UTC').waitFor();
    // The chart came with the first drawing, not after it.
    const areas = await page.evaluate<number>(`document.querySelectorAll('.plot .area').length`);
    assert.ok(areas > 0);
    assert.equal(source.asked.length, 1);
    assert.deepEqual(source.fetched, []);
    await page.getByText(/fetched 1\d min ago/).waitFor();
    const { origin } = new URL(page.url());
    assert.deepEqual(
      requests.filter(url => !url.startsWith(`${origin}/`)),
      [],
    );
  });

  it('walks its tabs with the keyboard, and each has its figures', async () => {
    const { page } = await open();
    await tab('Tokens').focus();
    for (const [index, name] of ['Tools', 'Activity', 'Productivity', 'People', 'Tokens'].entries()) {
      await page.keyboard.press('ArrowRight');
      await tab(name).and(page.locator('[aria-selected=true]:focus')).waitFor();
      await page.locator('.drawing:not(.waits) section').first().waitFor();
      assert.equal(lastAsked().tab, tabIds[(index + 1) % tabIds.length]);
    }
    assert.equal(await page.getByRole('tabpanel', { name: 'Tokens' }).count(), 1);
    // Each tab was made once.
    assert.deepEqual([stage.source.asked.length, stage.source.fetched.length], [6, 0]);
  });

  it('has no violation on any tab, in any theme', async () => {
    const found: string[] = [];
    const { page } = await open({ compare: true });
    for (const name of ['Tokens', 'Tools', 'Activity', 'Productivity', 'People']) {
      await tab(name).click();
      await page.locator('.drawing:not(.waits) section').first().waitFor();
      for (const theme of name === 'Tools' ? themes : ([themes[0]!] as const)) {
        await stage.setTheme(theme);
        found.push(...(await violations(page.mainFrame())).map(each => `${name}, ${theme}: ${each}`));
      }
    }
    assert.deepEqual(found, []);
  });

  it('asks for presets and for days of one’s own within what there is', async () => {
    const { page } = await open();
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('radio', { name, exact: true }).check();
    };
    await choose('7 days');
    await page.getByText('Nov 14, 2026 – Nov 20, 2026 UTC, 7 days').waitFor();
    await choose('All');
    await page.getByText('Jan 14, 2026 – Nov 20, 2026 UTC, 311 days').waitFor();
    await choose('30 days');
    await choose('Custom');
    await page.getByText('Days are UTC, from Jan 14, 2026 through Nov 20, 2026.').waitFor();
    const from = page.getByLabel('From');
    assert.equal(await from.inputValue(), '2026-10-22');
    await from.fill('2026-11-19');
    await page.getByText('Nov 19, 2026 – Nov 20, 2026 UTC, 2 days').waitFor();
    const before = stage.source.asked.length;
    await page.getByLabel('to', { exact: true }).fill('2026-11-01');
    await page.getByText('The first day is after the last').waitFor();
    await from.fill('2025-12-31');
    await page.getByText('Choose days from Jan 14, 2026 through Nov 20, 2026.').waitFor();
    assert.equal(stage.source.asked.length, before);
    await from.fill('2026-11-01');
    await page.getByText('Nov 1, 2026 UTC, 1 day').waitFor();
  });

  for (const timezoneId of ['Pacific/Pago_Pago', 'Pacific/Kiritimati', 'America/St_Johns']) {
    it(`has the same days in ${timezoneId}`, async () => {
      const { page } = await open({ tab: 'tokens' }, { context: { timezoneId } });
      await page.getByText('Oct 22, 2026 – Nov 20, 2026 UTC, 30 days').waitFor();
      await page.getByRole('radio', { name: 'Custom', exact: true }).check();
      assert.equal(await page.getByLabel('From').inputValue(), '2026-10-22');
      await page.getByLabel('From').fill('2026-11-19');
      await page.getByText('Nov 19, 2026 – Nov 20, 2026 UTC, 2 days').waitFor();
      assert.deepEqual(lastAsked().range, { start: '2026-11-19', end: '2026-11-20' });
      const first = section('Billable tokens by model').locator('.unseen tbody tr').first();
      assert.match(await first.innerText(), /^Nov 19, 2026/);
      await chart('Billable tokens by model').focus();
      await page.keyboard.press('Home');
      await page.getByText('Thursday, November 19, 2026 UTC').first().waitFor();
    });
  }

  it('reads a chart out to the keyboard and to the pointer', async () => {
    const { page } = await open({ tab: 'tokens', compare: true });
    const report = makeReport(lastAsked(), new Set(daysOf(bounds)));
    const [model] = report.sections[0]!.chart!.series;
    const box = chart('Billable tokens by model');
    await box.focus();
    await page.keyboard.press('End');
    const spoken = page.locator('.spoken');
    await spoken.getByText('Friday, November 20, 2026 UTC').waitFor();
    const said = (await spoken.innerText()).split('. ');
    const number = (value: Value | undefined) => (knownOf(value ?? null) ?? 0).toLocaleString('en');
    assert.equal(
      said[1],
      `${model!.label}: ${number(model!.values.at(-1))}, before: ${number(model!.previous!.at(-1))}`,
    );
    await page.keyboard.press('ArrowLeft');
    await spoken.getByText('Thursday, November 19, 2026 UTC').waitFor();
    for (let day = 0; day < 16; day++) await page.keyboard.press('ArrowLeft');
    await spoken.getByText('Revision 45: maxAutonomyLevel').waitFor();
    await page.locator('.read-out').getByText('Revision 45').waitFor();
    await page.keyboard.press('Home');
    await spoken.getByText('Thursday, October 22, 2026 UTC').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.read-out').waitFor({ state: 'detached' });

    const { width } = (await box.boundingBox())!;
    await box.hover({ position: { x: width - 30, y: 80 } });
    const readOut = page.locator('.read-out');
    await readOut.getByText('Friday, November 20, 2026 UTC').waitFor();
    await readOut.getByText(number(model!.values.at(-1))).waitFor();
    await readOut.getByText('before: Oct 16, 2026').waitFor();
  });

  it('gives each chart a table with the same figures, and says what is compared', async () => {
    const { page } = await open({ tab: 'tokens', compare: true });
    await page.getByText('compared with the same weekdays before, Sep 17, 2026 – Oct 16, 2026').waitFor();
    await page.getByRole('radio', { name: 'All' }).check();
    await page.getByText('not compared, since there are no figures before Jan 14, 2026').waitFor();
    await page.getByRole('radio', { name: '30 days' }).check();
    await page.getByText('compared with the same weekdays before, Sep 17, 2026 – Oct 16, 2026').waitFor();
    await page
      .locator('.change')
      .getByText(/^before: [\d.]+M$/)
      .first()
      .waitFor();
    // For those who do not see the chart the table is there all the time.
    const twin = section('Billable tokens by model').locator('.unseen table');
    await twin.waitFor({ state: 'attached' });
    const report = makeReport(lastAsked(), new Set(daysOf(bounds)));
    const { chart: drawing, table } = report.sections[0]!;
    const rows = await twin.locator('tbody tr').allInnerTexts();
    assert.equal(rows.length, drawing!.days.length);
    const [day, large, fast] = rows[0]!.split('\t');
    assert.equal(day, 'Oct 22, 2026');
    const figure = (text: string | undefined) => Number(text!.replace(/,/g, ''));
    assert.deepEqual(
      [figure(large), figure(fast)],
      [drawing!.series[0]!.values[0], drawing!.series[1]!.values[0]],
    );
    await section('Billable tokens by model').getByRole('radio', { name: 'Table' }).check();
    const shown = (await cells('Billable tokens by model', 2)).map(figure);
    const sum = shown.reduce((total, value) => total + value, 0);
    assert.equal(sum, table.total![1]);
    const foot = await section('Billable tokens by model').locator('tfoot td').first().innerText();
    assert.equal(figure(foot), sum);
    await page.getByRole('radio', { name: 'Chart' }).first().check();
    await chart('Billable tokens by model').waitFor();
  });

  it('sorts, searches and pages a table of thousands of rows', async () => {
    const { page } = await open({ tab: 'people' });
    const list = section('People');
    const heading = (name: string) => list.getByRole('columnheader', { name });
    await heading('Tokens').getByRole('button').click();
    await list.locator('th[aria-sort=descending]').waitFor();
    const numbers = (await cells('People', 2)).map(text => Number(text.replace(/,/g, '')));
    assert.deepEqual(
      numbers,
      [...numbers].sort((a, b) => b - a),
    );
    await heading('Tokens').getByRole('button').click();
    await list.locator('th[aria-sort=ascending]').waitFor();
    await heading('Tokens').getByRole('button').click();
    await list.locator('th[aria-sort=ascending]').waitFor({ state: 'detached' });

    const whole = await list.locator('tfoot td').first().innerText();
    await list.getByRole('searchbox').fill('HASHIMOTO hakon');
    await list.getByText(/^\d+ of 200 rows$/).waitFor();
    const found = await cells('People', 1);
    assert.ok(found.length > 0 && found.every(name => name.includes('håkon.hashimoto')), found.join());
    const some = await list.locator('tfoot td').first().innerText();
    assert.notEqual(some, whole);
    const sum = (await cells('People', 2)).reduce((total, text) => total + Number(text.replace(/,/g, '')), 0);
    assert.equal(Number(some.replace(/,/g, '')), sum);
    await list.getByRole('searchbox').fill('nobody at all');
    await list.getByText('No row matches "nobody at all".').waitFor();

    const days = section('People by day');
    await days.getByText('6,000 rows').waitFor();
    assert.equal(await days.locator('tbody tr').count(), 100);
    await days.getByRole('button', { name: 'Last rows' }).click();
    await days.getByText('Rows 5,901 to 6,000 of 6,000').waitFor();
    assert.equal(await days.getByRole('button', { name: 'Next rows' }).getAttribute('aria-disabled'), 'true');
    const scroll = days.getByRole('region', { name: 'Table: People by day' });
    const top = await scroll.evaluate(element => {
      const box = element as unknown as { scrollTop: number };
      box.scrollTop = 600;
      return box.scrollTop;
    });
    assert.equal(top, 600);
    const head = (await days.locator('thead th').first().boundingBox())!;
    const frame = (await scroll.boundingBox())!;
    assert.ok(Math.abs(head.y - frame.y) < 3, `${head.y} ${frame.y}`);

    await page.locator('details.columns').first().locator('summary').click();
    await list.getByLabel('Autonomy mode').check();
    await list.getByLabel('Commits').uncheck();
    await page.keyboard.press('Escape');
    await list.getByRole('searchbox').fill('');
    await heading('Autonomy mode').waitFor();
    assert.equal(await heading('Commits').count(), 0);
  });

  it('goes into a person and back, and keeps names behind pseudonyms', async () => {
    const { page } = await open({ tab: 'people' });
    const { id, name } = people[7]!;
    const link = page.getByRole('button', { name, exact: true }).first();
    await link.waitFor();
    await page.evaluate('window.scrollTo(0, 400)');
    await link.click();
    await page.getByRole('heading', { name }).waitFor();
    const [tabs, back] = await Promise.all(
      [page.getByRole('tablist'), page.getByRole('button', { name: 'All people' })].map(each =>
        each.boundingBox(),
      ),
    );
    assert.ok(tabs && back && back.y >= tabs.y + tabs.height, 'the way back is not below the tabs');
    assert.deepEqual(
      [lastAsked().tab, stage.source.asked.some(({ person }) => person === id)],
      ['people', true],
    );
    await page.getByRole('checkbox', { name: 'Hide names' }).check();
    await page.getByRole('heading', { name: 'Person 008' }).waitFor();
    assert.ok(!(await page.content()).includes(name));
    await page.getByRole('button', { name: 'All people' }).click();
    await page.getByRole('button', { name: 'Person 008' }).waitFor();
    const text = await page.content();
    assert.deepEqual(
      people.slice(5).filter(person => text.includes(person.name)),
      [],
    );
  });

  it('exports and copies what it shows, with names or without', async () => {
    const { page, saved, copied } = await open({ tab: 'people' });
    await page.getByRole('button', { name: people[8]!.name, exact: true }).first().waitFor();
    const exported = async (button: string, count: number): Promise<string> => {
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByText(/^Saved as usage-people/).waitFor();
      assert.equal(saved.length, count);
      return saved.at(-1)!.text;
    };
    await page.getByRole('checkbox', { name: 'Hide names' }).check();
    await page.getByRole('button', { name: 'Person 009', exact: true }).first().waitFor();
    const csv = await exported('CSV', 1);
    assert.equal(saved[0]!.name, 'usage-people-2026-10-22-2026-11-20.csv');
    assert.match(csv, /Person 009/);
    const json = await exported('JSON', 2);
    for (const { name } of people)
      assert.ok(!csv.includes(name) && !json.includes(JSON.stringify(name)), name);

    // The table as shown: what a search found, in the chosen order and columns.
    const list = section('People');
    await list.getByRole('searchbox').fill('person 01');
    await list.getByRole('columnheader', { name: 'Tokens' }).getByRole('button').click();
    await list.locator('th[aria-sort=descending]').waitFor();
    const count = (await cells('People', 1)).length;
    const tokens = await cells('People', 2);
    await list.getByRole('button', { name: /^Copy this table/ }).click();
    await page.getByText(`Copied ${count} rows.`).waitFor();
    const lines = copied[0]!
      .trimEnd()
      .split('\n')
      .map(line => line.split('\t'));
    const rows = lines.slice(lines.findIndex(([first]) => first === '') + 3, -1);
    assert.deepEqual(
      rows.map(([, value]) => (value === '' ? '' : Number(value).toLocaleString('en'))),
      tokens,
    );
    assert.ok(rows.every(([name]) => /^Person \d{3}$/.test(name!)));
    await list.getByRole('button', { name: /^Export this table/ }).click();
    await page.getByText('Saved as usage-people-people-2026-10-22-2026-11-20.csv.').waitFor();
    assert.equal(saved.at(-1)!.text.split('\r\n').length, count + 3);

    await page.getByRole('checkbox', { name: 'Hide names' }).uncheck();
    await list.getByRole('searchbox').fill('HYPERLINK');
    await list.getByText('1 of 200 rows').waitFor();
    await list.getByRole('button', { name: /^Copy this table/ }).click();
    await page.getByText('Copied 1 row.').waitFor();
    assert.ok(copied.at(-1)!.includes(`\n'${hostileNames[1]}`), copied.at(-1));
  });
});
