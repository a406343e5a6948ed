import assert from 'node:assert/strict';
import { addDays } from '../../../src/usage/report/calendar';
import { tabIds, type TabReport } from '../../../src/usage/report/types';
import { until } from '../../until';
import { NOON } from '../api/support';
import { begin, fetched, figure, HOUR, lines, query, type Body } from './support';

describe('usage data', () => {
  const LAST = '2026-11-20';

  it('asks once for a range, for missing days only later, for all again when told to, and shows everything offline', async () => {
    const { clock, service, data, open, calls } = await begin();
    const wanted = query('tokens', '2026-11-01', '2026-11-10');
    const first = await fetched(data, wanted);
    assert.deepEqual([first.missing, first.sections[0]?.table.rows.length], [[], 10]);
    await fetched(data, query('tokens', '2026-10-28', '2026-11-14'));
    await fetched(data, query('tokens', '2026-11-01', '2026-11-14'));
    clock.now += 1000;
    await fetched(data, query('tokens', '2026-11-13', '2026-11-14'), { again: true });
    const runs = ['2026-10-18..2026-11-10', '2026-10-07..2026-10-17', '2026-11-11..2026-11-14'];
    const asked = [...runs, '2026-11-06..2026-11-14'].map(run => `/tokens ${run}`);
    assert.deepEqual(calls(), asked);
    const online = await data.report(wanted);
    assert.equal(online.through, '2026-11-14');
    await service.close();
    const quiet = open(undefined, { organization: () => assert.fail('nobody asks') }).data;
    assert.equal((await quiet.report(query('people', '2026-11-01', '2026-11-02'), true)).missing.length, 2);
    const later = open().data;
    assert.deepEqual(await later.report(wanted), online);
    const partly = await fetched(later, query('tokens', '2026-11-13', '2026-11-16'));
    assert.deepEqual(partly.missing, ['2026-11-15', '2026-11-16']);
    assert.match(partly.problem ?? '', /127\.0\.0\.1/);
  });

  it('has all of it, from the first day through yesterday, in one call and the pages of people', async () => {
    const { data, calls } = await begin();
    const whole = { start: '2026-01-14', end: LAST };
    for (const tab of tabIds) {
      const heard: number[] = [];
      const onPage = (pages: number) => heard.push(pages);
      const made = await fetched(data, query(tab, '2020-01-01', '2030-01-01'), { onPage });
      assert.deepEqual([made.query.range, made.missing, made.through], [whole, [], whole.end]);
      assert.deepEqual(heard, [1]);
    }
    const all = ['tokens', 'tools', 'activity', 'productivity', 'users'];
    const each = all.map(path => `/${path} 2026-01-14..2026-11-20`);
    assert.deepEqual(calls(), each);
  });

  it('keeps nothing of people whose pages repeat, says so until the service answers well, and counts a person once a day', async () => {
    const { clock, open, answer } = await begin();
    const wanted = query('people', LAST);
    const repeating = answer(({ meta }) => ({ meta: { ...meta, has_more: true, next_cursor: 'the same' } }));
    const made = await fetched(open().data, wanted);
    assert.match(made.problem ?? '', /pages repeat/);
    assert.deepEqual([made.missing, figure(made, 'billable_tokens')], [[LAST], undefined]);
    repeating.dispose();
    clock.now += 1000;
    answer(({ data }) => ({
      data: data.slice(-1).flatMap(row => [row, { ...row, date: `${row.date}T00:00:00Z` }]),
    }));
    const once = await fetched(open().data, wanted, { again: true });
    assert.deepEqual([once.missing, lines(once, 'people', 'days')[0], figure(once, 'people')], [[], '1', 1]);
  });

  it('takes a day of which nobody could be read for a missing one, and finds fault with that day alone', async () => {
    const { data, answer } = await begin();
    const [first, odd, last] = ['2026-11-09', '2026-11-10', '2026-11-12'];
    answer(body => ({ data: body.data.map(row => (row.date === odd ? { ...row, user_id: null } : row)) }));
    await fetched(data, query('people', first, last));
    const { missing, unreadable } = await data.report(query('people', first, odd));
    assert.deepEqual([missing, unreadable?.names], [[odd], [`${odd}: user_id is missing`]]);
  });

  it('goes on in another window when the one that fetches gives up, or slept and was taken for dead', async () => {
    const { clock, service, data, open, answer, calls } = await begin();
    const other = open().data;
    const hold = service.fail({ kind: 'delay', ms: 20_000, times: 1 });
    const abort = new AbortController();
    const week = query('tools', '2026-11-01', '2026-11-07');
    const given = data.fetch(week, { signal: abort.signal });
    await until(() => calls().length === 1);
    const goesOn = fetched(other, week);
    abort.abort();
    await assert.rejects(given, { name: 'AbortError' });
    assert.deepEqual((await goesOn).missing, []);
    hold.dispose();
    assert.equal(calls().length, 2);
    const more = query('tools', '2026-11-01', '2026-11-17');
    let instead: Promise<TabReport> | undefined;
    const asleep = answer(() => {
      asleep.dispose();
      clock.now += 60_000;
      instead = fetched(other, more);
      return {};
    });
    assert.deepEqual((await fetched(data, more)).missing, []);
    assert.deepEqual((await instead)?.missing, []);
    assert.equal(calls().filter(call => call.endsWith('..2026-11-17')).length, 1);
  });

  /** What the service answers when it is that of another organization. */
  const ofOthers = ({ data, meta }: Body) => ({
    data: data.map(row => ({ ...row, billable_tokens: 1 })),
    meta: { ...meta, org_id: 'org_other' },
  });

  it('shows nothing to another key before the service has said, once, whose days it sees, and keeps organizations apart', async () => {
    const { clock, data, useKey, reject, open, answer, calls } = await begin();
    const wanted = query('tokens', '2026-11-17', LAST);
    const mine = await fetched(data, wanted);
    const signInAgain = async (key: string): Promise<TabReport> => {
      clock.now += 1000;
      useKey(key);
      const { orgId, missing, through } = await data.report(wanted);
      assert.deepEqual([orgId, missing.length, through], [undefined, 4, undefined]);
      return fetched(data, wanted);
    };
    // What was stored is shown while no key is taken.
    reject();
    assert.deepEqual(await data.report(wanted), mine);
    const again = await signInAgain('another key');
    assert.deepEqual([again.orgId, again.figures], [mine.orgId, mine.figures]);
    await fetched(data, wanted);
    assert.deepEqual(calls().slice(1), ['/tokens 2026-11-20..2026-11-20']);
    // A window opened while the key was refused, and one opened with the other key.
    for (const isRefused of [true, false]) {
      const window = open();
      if (isRefused) window.reject();
      window.useKey(`a third key, ${isRefused}`);
      assert.equal((await window.data.report(wanted)).orgId, undefined);
    }
    answer(ofOthers);
    const other = await signInAgain('the key of another organization');
    assert.deepEqual([other.orgId, other.missing, figure(other, 'billable')], ['org_other', [], 4]);
    // The keys that were here before are known, until a new day tells that one of them sees others' days.
    useKey('another key');
    clock.now += 24 * HOUR;
    assert.deepEqual((await fetched(data, wanted)).figures, mine.figures);
    await fetched(data, query('tokens', '2026-11-21'));
    assert.deepEqual((await fetched(data, wanted)).figures, other.figures);
  });

  it('keeps no day and no refusal of one key for another that comes while it is fetched', async () => {
    const { data, storage, open, service, useKey, answer } = await begin();
    // While the answer is on its way, and while it is kept whose days they are.
    const early = answer(() => {
      early.dispose();
      useKey('a key before');
      return {};
    });
    assert.equal((await fetched(data, query('tokens', LAST))).orgId, undefined);
    useKey('key');
    const fault = answer(ofOthers);
    await fetched(data, query('tokens', LAST));
    fault.dispose();
    useKey('another key');
    const schema = { parse: (value: unknown) => value };
    const heard = storage
      .collection({ path: 'services/service/usage/state', version: 1, schema })
      .onDidChange(() => {
        heard.dispose();
        answer(ofOthers);
        useKey('key');
      });
    assert.equal(figure(await fetched(data, query('tokens', '2026-11-19')), 'billable'), 1);
    const refused = open(() => {
      refused.useKey('a key that may');
      return service.keys.member;
    });
    assert.match((await fetched(refused.data, query('tools', LAST))).problem ?? '', /403/);
    assert.equal(refused.data.state().kind, 'ready');
  });

  for (const says of [false, true]) {
    it(`fetches a finished day once, and one that is not there yet until it is, as the answer ${says ? 'says' : 'shows'}`, async () => {
      const { clock, open, answer, calls } = await begin();
      const windows = [open(), open()];
      const wanted = query('tokens', '2026-11-10', LAST);
      const ask = () => Promise.all(windows.map(({ data }) => fetched(data, wanted)));
      const late = answer(({ data, meta }) => ({
        data: data.filter(({ date }) => date !== LAST),
        meta: says ? { ...meta, end_date: '2026-11-19' } : meta,
      }));
      for (const { missing, problem, unread, through } of await ask())
        assert.deepEqual([missing, problem, unread, through], [[LAST], undefined, 0, '2026-11-19']);
      late.dispose();
      clock.now += 0.99 * HOUR;
      await ask();
      assert.equal(calls().length, 1);
      clock.now += 0.01 * HOUR;
      const [whole] = await ask();
      assert.equal(whole?.sections[0]?.table.rows.at(-1)?.cells[0], LAST);
      clock.now += 40 * 24 * HOUR;
      await ask();
      assert.deepEqual(calls().slice(1), ['/tokens 2026-11-20..2026-11-20']);
    });
  }

  it('asks for a range as a whole again after it failed, also where a clock that was ahead has dated the failure', async () => {
    const { clock, service, data, open, calls } = await begin();
    clock.now = NOON + 11 * HOUR;
    const wanted = query('activity', '2026-10-01', '2026-11-09');
    const outage = service.fail({ kind: 'status', status: 413 });
    assert.equal((await fetched(data, wanted)).missing.length, 40);
    assert.match((await data.report(wanted)).problem ?? '', /413/);
    assert.equal((await data.report(query('tools', '2026-11-01', '2026-11-09'))).problem, undefined);
    assert.equal(calls().length, 1);
    outage.dispose();
    clock.now = NOON;
    assert.deepEqual((await fetched(open().data, wanted, { again: true })).missing, []);
    assert.deepEqual(calls().slice(1), ['/activity 2026-08-20..2026-11-09']);
  });

  /** The service answers for days from `first` on, else for the last 200, and says so in `meta` (section 2.1). */
  const beginShort = async (first?: string, says = true) => {
    const stage = await begin();
    const fault = stage.answer(({ data, meta }) => {
      const start_date = [first ?? addDays(meta.end_date, -199), meta.start_date].sort()[1]!;
      const rows = data.filter(({ date }) => date >= start_date);
      return { data: rows, meta: says ? { ...meta, start_date } : meta };
    });
    const fetch = (...days: [string, string]) => fetched(stage.data, query('tokens', ...days));
    return { ...stage, fault, fetch };
  };

  it('leaves no day that an answer is not about as one without usage: it is missing, and comes when asked for again', async () => {
    const { clock, calls, fault, fetch } = await beginShort();
    const made = await fetch('2026-01-14', LAST);
    assert.deepEqual([made.missing.length, made.unread], [111, 111]);
    assert.equal(made.sections[0]?.table.rows.find(({ id }) => id === '2026-05-04')?.cells[1], null);
    clock.now += 1000;
    assert.deepEqual((await fetch('2026-01-14', LAST)).missing, []);
    fault.dispose();
    // A day is put away once.
    await fetch('2026-01-14', LAST);
    assert.deepEqual(calls(), ['/tokens 2026-01-14..2026-11-20', '/tokens 2026-01-14..2026-05-04']);
  });

  it('with days that never come keeps no new day away, and believes an answer that does not say it lacks some', async () => {
    for (const says of [true, false]) {
      const { clock, calls, fetch } = await beginShort('2026-11-01', says);
      const { missing, problem, unread } = await fetch('2026-10-22', LAST);
      assert.deepEqual([missing.length, unread, problem], [10, says ? 45 : 0, undefined]);
      clock.now += 24 * HOUR;
      assert.equal((await fetch('2026-10-22', '2026-11-21')).missing.length, 10);
      const [again, fresh] = ['/tokens 2026-09-17..2026-10-31', '/tokens 2026-11-21..2026-11-21'];
      assert.deepEqual(calls().slice(1), says ? [again, fresh] : [fresh]);
    }
  });
});
