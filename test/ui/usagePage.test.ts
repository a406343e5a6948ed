import assert from 'node:assert/strict';
import { chartOf } from '../../media/usage/plot';
import { daysOf } from '../../src/usage/report/calendar';
import { knownOf, tabIds, type Amount, type TabReport } from '../../src/usage/protocol';
import { bounds, hostileNames, makeReport, people } from '../fakes/usage';
import { origin, violations } from './page';
import { pageThemes as themes, usagePage } from './usageStage';

describe('the usage page', () => {
  const { open, tab, chosenTab, section, chart, range, check, lastAsked, setTheme, ...of } = usagePage();
  const { sees, gone, isDrawn, press } = of;
  const cells = async (of: string, column: number): Promise<string[]> =>
    section(of).locator(`tbody tr > :nth-child(${column})`).allInnerTexts();
  /** What the page shows now, in full. */
  const shown = (): TabReport => makeReport(lastAsked(), { days: new Set(daysOf(bounds)) });
  const figure = (text: string | undefined): number => Number(text!.replace(/,/g, ''));
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

  it('walks its tabs with the keyboard, each has its figures from the cache, and nothing asks the network', async () => {
    const { page, source, requests } = await open();
    await page.getByRole('heading', { name: 'Usage of org_01JH7ZK3QF5Y8' }).waitFor();
    await sees('Data through Nov 20, 2026 UTC', /fetched .*20\d\d.*\d:\d\d/);
    await page.locator('.plot .area').first().waitFor({ state: 'attached' });
    await tab('Tokens').focus();
    for (const [index, name] of ['Tools', 'Activity', 'Productivity', 'People'].entries()) {
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await chosenTab().getByText(name).waitFor();
      await isDrawn();
      assert.equal(lastAsked().tab, tabIds[index + 1]);
    }
    assert.deepEqual([source.asked.length, source.fetched.length], [5, 0]);
    assert.ok(requests.every(url => url.startsWith(`${origin}/`)));
  });

  it('has no violation on any tab, in any theme', async () => {
    const found: string[] = [];
    const { page } = await open({ compare: true });
    for (const name of ['Tokens', 'Tools', 'Activity', 'Productivity', 'People']) {
      await tab(name).click();
      await isDrawn();
      for (const theme of name === 'Tools' ? themes : themes.slice(0, 1)) {
        await setTheme(theme);
        found.push(...(await violations(page.mainFrame())).map(each => `${name}, ${theme}: ${each}`));
      }
    }
    assert.deepEqual(found, []);
  });

  it('asks for presets and for days of one’s own within what there is', async () => {
    const { page, source } = await open();
    await range('7 days');
    await sees('Nov 14, 2026 – Nov 20, 2026 UTC, 7 days');
    await range('All');
    await sees('Jan 14, 2026 – Nov 20, 2026 UTC, 311 days');
    await range('30 days');
    await range('Custom');
    await sees('Days are UTC, from Jan 14, 2026 through Nov 20, 2026.');
    const from = page.getByLabel('From');
    assert.equal(await from.inputValue(), '2026-10-22');
    await from.fill('2026-11-19');
    await sees('Nov 19, 2026 – Nov 20, 2026 UTC, 2 days');
    const before = source.asked.length;
    await page.getByLabel('to', { exact: true }).fill('2026-11-01');
    await from.fill('2025-12-31');
    assert.equal(await page.locator('input[type=date]:invalid').count(), 2);
    await sees('Value must be 01/14/2026 or later');
    assert.equal(source.asked.length, before);
    await from.fill('2026-11-20');
    await sees('Nov 20, 2026 UTC, 1 day');
    // A year goes through days that are long ago.
    await from.focus();
    await page.keyboard.type('11182026');
    await sees('Nov 18, 2026 – Nov 20, 2026 UTC, 3 days');
  });

  for (const timezoneId of ['Pacific/Pago_Pago', 'Pacific/Kiritimati']) {
    it(`has the same days in ${timezoneId}`, async () => {
      const { page } = await open({ tab: 'tokens' }, { context: { timezoneId } });
      await sees('Oct 22, 2026 – Nov 20, 2026 UTC, 30 days');
      await range('Custom');
      assert.equal(await page.getByLabel('From').inputValue(), '2026-10-22');
      await page.getByLabel('From').fill('2026-11-19');
      await sees('Nov 19, 2026 – Nov 20, 2026 UTC, 2 days');
      assert.deepEqual(lastAsked().range, { start: '2026-11-19', end: '2026-11-20' });
      await chart('Tokens by day').focus();
      await page.keyboard.press('Home');
      await section('Tokens by day').getByText('Thursday, November 19, 2026 UTC').waitFor();
      await check('Tables').check();
      assert.equal((await cells('Tokens by day', 1))[0], 'Nov 19, 2026');
    });
  }

  it('reads a chart out to the keyboard and to the pointer', async () => {
    const { page } = await open({ tab: 'tokens', compare: true });
    const { sections, markers } = shown();
    const model = chartOf(sections[0]!, markers).series[0]!;
    const box = chart('Tokens by day');
    await box.focus();
    const spoken = (text: string) => box.and(page.locator(`[aria-valuetext*="${text}"]`)).waitFor();
    const legend = (text: string) => section('Tokens by day').getByText(text).waitFor();
    await page.keyboard.press('End');
    await legend('Friday, November 20, 2026 UTC');
    const said = ((await box.getAttribute('aria-valuetext')) ?? '').split('. ');
    const number = (value: Amount | null) => (knownOf(value ?? null) ?? 0).toLocaleString('en');
    const figures = `${number(model.values.at(-1))}, before: ${number(model.previous!.at(-1))}`;
    assert.deepEqual(said.slice(0, 2), ['Friday, November 20, 2026 UTC', `${model.label}: ${figures}`]);
    await page.keyboard.press('ArrowLeft');
    await spoken('Thursday, November 19, 2026 UTC');
    for (let day = 0; day < 16; day++) await page.keyboard.press('ArrowLeft');
    await spoken('Controls, revision 45 · maxAutonomyLevel');
    await legend('Controls, revision 45 · maxAutonomyLevel');
    await page.keyboard.press('Home');
    await spoken('Thursday, October 22, 2026 UTC');

    const { width } = (await box.boundingBox())!;
    await box.hover({ position: { x: width - 45, y: 80 } });
    await legend('Thursday, November 19, 2026 UTC');
    await legend('before: Oct 15, 2026');
    await legend(number(model.values.at(-2)));
    await section('Tokens by day').getByRole('checkbox', { name: model.label }).uncheck();
    await box.and(page.locator(`[aria-valuetext*="${model.label}"]`)).waitFor({ state: 'detached' });
  });

  it('gives each chart a table with the same figures, and says what is compared', async () => {
    const { page } = await open({ tab: 'tokens', compare: true });
    const compared = 'compared with the same weekdays before, Sep 17, 2026 – Oct 16, 2026';
    await sees(compared);
    await range('All');
    await sees('not compared, since not all of these days and the same weekdays before have figures');
    await range('30 days');
    await sees(compared);
    await page.locator('.change *:text-matches("^before: [0-9.]+M$")').first().waitFor();
    await check('Tables').check();
    const { table } = shown().sections[0]!;
    const rows = await section('Tokens by day').locator('tbody tr').allInnerTexts();
    assert.equal(rows.length, 30);
    const [day, before, billable, earlier] = rows[0]!.split('\t');
    assert.deepEqual([day, before], ['Oct 22, 2026', 'Sep 17, 2026']);
    assert.deepEqual([figure(billable), figure(earlier)], table.rows[0]!.cells.slice(2, 4));
    const numbers = (await cells('Tokens by day', 3)).map(figure);
    assert.equal(sum(numbers), table.total![2]);
    const foot = await section('Tokens by day').locator('tfoot td').nth(1).innerText();
    assert.equal(figure(foot), sum(numbers));
  });

  it('sorts and searches a long table, and shows hostile names as text', async () => {
    const { page } = await open({ tab: 'tokens' });
    await page.getByText(hostileNames[0]).first().waitFor();
    await page.getByRole('button', { name: hostileNames[2], exact: true }).first().waitFor();
    assert.equal(await page.locator('#root img, #root a, #root b, #root script').count(), 0);
    assert.equal(await page.title(), 'usage');
    const list = section('By person and model');
    const tokens = async () => (await cells('By person and model', 4)).map(figure);
    const rows = shown().sections.at(-1)!.table.rows.length;
    await list.getByText(`${rows} rows`, { exact: true }).waitFor();
    const heading = list.getByRole('columnheader', { name: 'Billable tokens', exact: true });
    for (const order of ['descending', 'ascending'] as const) {
      await heading.getByRole('button').click();
      await list.locator(`th[aria-sort=${order}]`).waitFor();
      const sign = order === 'ascending' ? 1 : -1;
      const sorted = (await tokens()).toSorted((a, b) => sign * (a - b));
      assert.deepEqual(await tokens(), sorted);
    }
    await heading.getByRole('button').click();
    await list.locator('th[aria-sort=ascending]').waitFor({ state: 'detached' });
    await list.getByRole('searchbox').fill('HASHIMOTO hakon');
    await list.getByText(`of ${rows} rows`).waitFor();
    const found = await cells('By person and model', 1);
    assert.ok(found.length > 0 && found.every(name => name.includes('håkon.hashimoto')), found.join());
    assert.equal(figure(await list.locator('tfoot td').nth(2).innerText()), sum(await tokens()));
    await list.getByRole('searchbox').fill('nobody at all');
    await list.getByText('No row matches "nobody at all".').waitFor();
  });

  it('shows the first rows of a very long table, and says how to see the rest', async () => {
    await open({ tab: 'productivity' });
    const list = section('By file extension');
    await list.getByText('The first 500 rows are shown. Search, or export, for the rest.').waitFor();
    assert.equal(await list.locator('tbody tr').count(), 500);
    await list.getByRole('searchbox').fill('e1');
    await list.getByText('111 of 600 rows').waitFor();
    await gone('The first 500 rows');
  });

  it('goes into a person and back, and keeps names behind pseudonyms', async () => {
    const { page } = await open({ tab: 'people' });
    const { id, name } = people[7]!;
    const link = section('People').getByRole('button', { name, exact: true });
    await link.waitFor();
    await page.evaluate('window.scrollTo(0, 400)');
    await link.click();
    await page.getByRole('heading', { name, exact: true }).waitFor();
    const tabs = await page.getByRole('navigation').boundingBox();
    const back = await page.getByRole('button', { name: 'All people' }).boundingBox();
    assert.ok(tabs && back && back.y >= tabs.y + tabs.height, 'the way back is not below the tabs');
    assert.deepEqual([lastAsked().tab, lastAsked().person], ['people', id]);
    await check('Hide names').check();
    await page.getByRole('heading', { name: /^Person [2-9A-Z]{6}$/ }).waitFor();
    assert.ok(!(await page.content()).includes(name));
    await press('All people');
    await section('People').locator('button:text-matches("^Person")').first().waitFor();
    const text = await page.content();
    assert.ok(people.slice(5).every(person => !text.includes(person.name)));
  });

  it('exports and copies what it shows, with names or without', async () => {
    const { saved, copied } = await open({ tab: 'people' });
    const list = section('People');
    await check('Hide names').check();
    const person = /^Person [2-9A-Z]{6}$/;
    await list.getByRole('button', { name: person }).first().waitFor();
    await press(/^JSON$/);
    await sees('Saved as usage-people-2026-10-22-2026-11-20.json.');
    for (const { name } of people) assert.ok(!saved[0]!.text.includes(JSON.stringify(name)), name);

    // The table as shown: what a search found, in the chosen order and columns.
    await list.getByRole('searchbox').fill('person 2');
    await list.getByRole('columnheader', { name: 'Billable tokens' }).getByRole('button').click();
    await list.locator('th[aria-sort=descending]').waitFor();
    const tokens = await cells('People', 4);
    await list.getByRole('button', { name: /^Copy this table/ }).click();
    await sees(/^Copied \d+ rows?\.$/);
    const rows = copied[0]!.split('\n').map(line => line.split('\t'));
    assert.ok(rows.slice(1, -2).every(([name = '']) => person.test(name)));
    assert.deepEqual(
      rows.slice(1, -2).map(row => figure(row[3])),
      tokens.map(figure),
    );
    await list.getByRole('button', { name: /^Export this table/ }).click();
    await sees('Saved as usage-people-people-2026-10-22-2026-11-20.csv.');
    assert.equal(saved.at(-1)!.text.split('\r\n').length, tokens.length + 3);

    await check('Hide names').uncheck();
    await list.getByRole('searchbox').fill('HYPERLINK');
    await list.getByText(`1 of ${people.length} rows`).waitFor();
    await list.getByRole('button', { name: /^Copy this table/ }).click();
    await sees('Copied 1 row.');
    assert.ok(copied.at(-1)!.includes(`\n'${hostileNames[1]}`), copied.at(-1));
  });
});
