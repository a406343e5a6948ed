import { Formatter } from '../../../src/util/format';
import { addDays, dayAt, daysOf, periodBefore, untilNextDay } from '../../../src/usage/calendar';
import { daysOfSpans, spanDays, spans } from '../../../src/usage/spans';
import { statusText } from '../../../src/usage/statusText';

/** Prints what days come to in the time zone of this process. */
const format = new Formatter('en');
const ends = [
  '2026-03-08',
  '2026-03-29',
  '2026-10-25',
  '2026-11-01',
  '2026-12-31',
  '2027-01-01',
  '2028-02-29',
  '2026-04-05',
];
const moments = ends.flatMap(end =>
  [0, 1, 43_200_000, 86_399_999].map(ms => Date.parse(`${end}T00:00:00Z`) + ms),
);
const result = {
  spans: ends.map(end => spans.map(span => spanDays(span, end))),
  before: ends.map(end => periodBefore({ start: addDays(end, -6), end })),
  days: ends.map(end => daysOf({ start: addDays(end, -40), end: addDays(end, 40) }).join(' ')),
  all: ends.map(end => daysOfSpans(end, '2026-01-14').join(' ')),
  at: moments.map(dayAt),
  left: moments.map(untilNextDay),
  text: ends.map(end => {
    const values = new Map(daysOf({ start: addDays(end, -70), end }).map((day, index) => [day, index * 100]));
    return statusText({ span: 'monthToDate', end, values, budget: { tokens: 0, per: 'day' } }, format);
  }),
};
process.stdout.write(JSON.stringify(result));
