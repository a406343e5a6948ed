import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import * as path from 'node:path';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { addDays, clampRange, daysOf, lengthOf, runsOf } from '../../../src/usage/calendar';
import { statusText } from '../../../src/usage/statusText';
import { Formatter } from '../../../src/util/format';
import { reached, spanDays, spanTotal } from '../../../src/usage/spans';

const run = promisify(execFile);
const day = fc.integer({ min: 0, max: 900 }).map(count => addDays('2026-01-14', count));

describe('days', () => {
  it('come in the fewest runs that hold just them', () => {
    fc.assert(
      fc.property(fc.array(day, { maxLength: 60 }), days => {
        const runs = runsOf(days);
        assert.deepEqual(runs.flatMap(daysOf), [...new Set(days)].sort());
        runs.slice(1).forEach((next, at) => assert.ok(addDays(runs[at]!.end, 1) < next.start));
      }),
    );
  });

  it('are kept within what may be asked for', () => {
    const bounds = { start: '2026-01-14', end: '2026-11-20' };
    assert.deepEqual(clampRange({ start: '2020-01-01', end: '2030-01-01' }, bounds), bounds);
    assert.deepEqual(clampRange({ start: '2026-03-05', end: '2026-03-01' }, bounds), {
      start: '2026-03-01',
      end: '2026-03-05',
    });
  });

  it('of a month to date are compared with the same days of the month before', () => {
    assert.deepEqual(spanDays('monthToDate', '2026-03-31'), {
      now: { start: '2026-03-01', end: '2026-03-31' },
      before: { start: '2026-02-01', end: '2026-02-28' },
    });
    assert.deepEqual(spanDays('monthToDate', '2027-01-02').before, {
      start: '2026-12-01',
      end: '2026-12-02',
    });
    assert.equal(lengthOf(spanDays('30days', '2026-03-01').before), 30);
  });

  it('of a month to date have no trend where the month before is too short', () => {
    const flat = new Map(daysOf({ start: '2026-01-14', end: '2026-03-31' }).map(day => [day, 100]));
    const change = (end: string) => spanTotal('monthToDate', end, flat).change;
    assert.equal(change('2026-03-28'), 0);
    for (const end of ['2026-03-29', '2026-03-30', '2026-03-31']) assert.equal(change(end), undefined, end);
    assert.equal(spanTotal('monthToDate', '2026-03-31', flat).total, 3_100);
    const text = (end: string) =>
      statusText(
        { span: 'monthToDate', end, values: flat, budget: { tokens: 0, per: 'day' } },
        new Formatter('en'),
      );
    const note = 'Month to date is not compared: the month before has fewer days.';
    assert.equal(text('2026-03-31')?.text, '$(graph) 3.1K');
    assert.ok(text('2026-03-31')?.notes.includes(note));
    assert.equal(text('2026-03-28')?.text, '$(graph) 2.8K →');
    assert.ok(!text('2026-03-28')?.notes.includes(note));
  });

  it('have a trend only where both spans are known in full', () => {
    const values = new Map<string, number>([
      ['2026-11-19', 10],
      ['2026-11-20', 15],
    ]);
    assert.equal(spanTotal('lastDay', '2026-11-20', values).change, 0.5);
    assert.equal(spanTotal('7days', '2026-11-20', values).change, undefined);
    assert.deepEqual(spanTotal('7days', '2026-11-20', values).total, { value: 25, known: 2, of: 7 });
  });

  it('reach the highest threshold of a budget', () => {
    assert.equal(reached(79, 100), undefined);
    assert.equal(reached(80, 100), 80);
    assert.equal(reached(250, 100), 100);
    assert.equal(reached(250, 0), undefined);
  });

  it('are the same in every time zone, over years, leap days and clock changes', async function () {
    const zones = [
      'UTC',
      'Pacific/Midway',
      'America/New_York',
      'America/Sao_Paulo',
      'Europe/London',
      'Europe/Berlin',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'Pacific/Chatham',
      'Pacific/Kiritimati',
    ];
    const child = path.join(__dirname, 'days.child.js');
    const answers: string[] = [];
    for (const TZ of zones) {
      const { stdout } = await run(process.execPath, [child], { env: { ...process.env, TZ } });
      answers.push(stdout);
    }
    assert.match(answers[0]!, /"at":\["2026-03-08"/);
    for (const [at, zone] of zones.entries()) assert.equal(answers[at], answers[0], zone);
  });
});
