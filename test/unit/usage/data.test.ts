import assert from 'node:assert/strict';
import { addDays } from '../../../src/usage/report/calendar';
import { tabIds, type TabReport } from '../../../src/usage/report/types';
import { answer, begin, calls, cleanUp, fetched, NOON, query } from './support';

describe('usage data', () => {
  afterEach(cleanUp);

  it('asks once for a range, for missing days only later, and shows everything offline', async () => {
    const { service, open } = await begin();
    const { data } = open();
    const first = await fetched(data, query('tokens', '2026-11-01', '2026-11-10'));
    assert.deepEqual(first.missing, []);
    assert.equal(first.sections[0]?.table.rows.length, 10);
    await fetched(data, query('tokens', '2026-10-28', '2026-11-14'));
    await fetched(data, query('tokens', '2026-11-01', '2026-11-14'));
    assert.deepEqual(calls(service), [
      '/tokens 2026-10-18..2026-11-10',
      '/tokens 2026-10-07..2026-10-17',
      '/tokens 2026-11-11..2026-11-14',
    ]);
    await service.close();
    let asked = 0;
    const people = async () => {
      asked++;
      return Promise.resolve([]);
    };
    const quiet = open(undefined, { directory: { people } }).data;
    assert.equal((await quiet.report(query('people', '2026-11-01', '2026-11-02'), true)).missing.length, 2);
    const later = open().data;
    const offline = await later.report(query('tokens', '2026-11-01', '2026-11-10'));
    assert.deepEqual(offline, { ...first, through: '2026-11-14' });
    const partly = await fetched(later, query('tokens', '2026-11-13', '2026-11-16'));
    assert.deepEqual(partly.missing, ['2026-11-15', '2026-11-16']);
    assert.match(partly.problem ?? '', /test/);
    assert.equal(asked, 0);
  });

  it('has all of it, from the first day through yesterday, in one call and the pages of people', async () => {
    const { service, open } = await begin();
    const { data } = open();
    const labels: string[] = [];
    for (const tab of tabIds) {
      const made = await fetched(data, query(tab, '2020-01-01', '2030-01-01'), {
        onProgress: (fraction, label) => labels.push(`${fraction} ${label}`),
      });
      assert.deepEqual(made.query.range, { start: '2026-01-14', end: '2026-11-20' });
      assert.deepEqual(made.missing, []);
      assert.equal(made.through, '2026-11-20');
    }
    assert.deepEqual(calls(service), [
      ...['tokens', 'tools', 'activity', 'productivity', 'users'].map(
        path => `/${path} 2026-01-14..2026-11-20`,
      ),
    ]);
    assert.deepEqual(
      labels.filter(label => label.startsWith('1 ')),
      Array.from(tabIds, () => '1 Days: 311 of 311'),
    );
    assert.equal(open().data.state().kind, 'ready');
  });

  it('keeps nothing of people whose pages repeat, and says so until the service answers well', async () => {
    const { clock, service, open } = await begin();
    const wanted = query('people', '2026-11-20', '2026-11-20');
    let has_more = true;
    service.fail({
      kind: 'alter',
      alter: body => {
        const { data, meta } = body as { data: { user_id: string }[]; meta: object };
        const [row] = data.map(({ user_id }) => user_id).sort();
        return {
          data: [{ user_id: row, date: '2026-11-20', billable_tokens: 450_000 }],
          meta: { ...meta, has_more, next_cursor: has_more ? row : null },
        };
      },
    });
    const made = await fetched(open().data, wanted);
    assert.match(made.problem ?? '', /pages repeat/);
    assert.deepEqual(made.missing, ['2026-11-20']);
    assert.equal(made.figures.find(({ id }) => id === 'billable_tokens')?.value, undefined);
    has_more = false;
    clock.now += 1000;
    const { data } = open();
    const again = await fetched(data, wanted, { again: true });
    assert.deepEqual(again.missing, []);
    assert.equal(again.figures.find(({ id }) => id === 'billable_tokens')?.value, 450_000);
  });

  it('counts a person once a day, also where a page has them twice', async () => {
    const { service, open } = await begin();
    answer(service, rows => [rows.at(-1)!, rows.at(-1)!]);
    const made = await fetched(open().data, query('people', '2026-11-20', '2026-11-20'));
    assert.equal(made.sections.find(({ id }) => id === 'people')!.table.rows[0]!.cells[1], 1);
    assert.equal(made.figures.find(({ id }) => id === 'people')?.value, 1);
  });

  it('eight windows make the calls of one, and all hear of it', async () => {
    const { service, open } = await begin();
    const windows = Array.from({ length: 8 }, () => open().data);
    const wanted = query('people', '2026-11-01', '2026-11-20');
    const reports = await Promise.all(windows.map(data => fetched(data, wanted)));
    assert.deepEqual(calls(service), ['/users 2026-10-11..2026-11-20']);
    for (const made of reports) assert.deepEqual(made, reports[0]);
  });

  it('tells the other windows of days fetched here', async () => {
    const { open } = await begin();
    const [here, there] = [open().data, open().data];
    const wanted = query('activity', '2026-11-01', '2026-11-07');
    assert.equal((await there.report(wanted)).missing.length, 7);
    // Days may become known a few at a time.
    const heard = new Promise<void>(resolve => {
      there.onDidChange(async () => (await there.report(wanted)).missing.length === 0 && resolve());
    });
    const made = await fetched(here, wanted);
    await heard;
    assert.deepEqual(await there.report(wanted), made);
  });

  it('is not held up by what a clock that was ahead has left', async () => {
    const { clock, service, open } = await begin();
    const wanted = query('activity', '2026-11-10', '2026-11-10');
    const hour = 60 * 60 * 1000;
    clock.now = NOON + 11 * hour;
    const ahead = open().data;
    const fault = service.fail({ kind: 'status', status: 500 });
    assert.match((await fetched(ahead, wanted)).problem ?? '', /500/);
    fault.dispose();
    clock.now = NOON;
    const { data } = open();
    assert.deepEqual((await fetched(data, wanted, { again: true })).missing, []);
  });

  it('goes on when the window that fetches gives up', async () => {
    const { service, open } = await begin();
    const [first, second] = [open().data, open().data];
    const hold = service.fail({ kind: 'delay', ms: 20_000, times: 1 });
    const abort = new AbortController();
    const wanted = query('tools', '2026-11-01', '2026-11-07');
    const arrived = new Promise<void>(resolve => {
      const subscription = service.onDidReceive(() => {
        subscription.dispose();
        resolve();
      });
    });
    const given = first.fetch(wanted, { signal: abort.signal });
    await arrived;
    const other = fetched(second, wanted);
    abort.abort();
    await assert.rejects(given, { name: 'AbortError' });
    assert.deepEqual((await other).missing, []);
    hold.dispose();
    assert.equal(calls(service).length, 2);
  });

  it('asks no more in a window that slept while it fetched, and was taken for dead', async () => {
    const { clock, service, open } = await begin();
    const [first, second] = [open().data, open().data];
    await fetched(first, query('tools', '2026-11-05', '2026-11-05'));
    const wanted = query('tools', '2026-11-01', '2026-11-10');
    let other: Promise<TabReport> | undefined;
    service.fail({
      kind: 'alter',
      times: 1,
      alter: body => {
        clock.now += 60_000;
        other = fetched(second, wanted);
        return body;
      },
    });
    assert.deepEqual((await fetched(first, wanted)).missing, []);
    assert.deepEqual((await other)?.missing, []);
    assert.equal(calls(service).filter(call => call.endsWith('..2026-11-10')).length, 1);
  });

  it('asks again for all days when told to, and a new day when there is one', async () => {
    const { clock, service, open } = await begin();
    const { data } = open();
    const wanted = query('productivity', '2026-11-18', '2026-11-20');
    await fetched(data, wanted);
    clock.now += 1000;
    await fetched(data, wanted, { again: true });
    clock.now += 24 * 60 * 60 * 1000;
    assert.equal(data.bounds.end, '2026-11-21');
    await fetched(data, query('productivity', '2026-11-18', '2026-11-21'));
    assert.deepEqual(calls(service), [
      '/productivity 2026-11-11..2026-11-20',
      '/productivity 2026-11-11..2026-11-20',
      '/productivity 2026-11-21..2026-11-21',
    ]);
  });

  it('says once that a role is missing, then rests, in every window, until asked again', async () => {
    const { clock, service, open } = await begin();
    let key = service.keys.member;
    const windows = [1, 2].map(() => open(() => key).data);
    const wanted = query('tokens', '2026-11-17', '2026-11-20');
    for (const data of windows) {
      const made = await fetched(data, wanted);
      assert.match(made.problem ?? '', /Manager or Owner role/);
      assert.equal(data.state().kind, 'forbidden');
    }
    assert.equal(calls(service).length, 1);
    const told = await Promise.all(windows.map(async data => (await data.open())?.claimNotice('role', 1)));
    assert.deepEqual(told.toSorted(), [false, true]);
    key = service.apiKey;
    clock.now += 1000;
    await fetched(windows[0]!, wanted, { again: true });
    assert.equal(windows[0]!.state().kind, 'ready');
  });

  it('keeps the days of two organizations apart', async () => {
    const { clock, service, open } = await begin();
    const window = open();
    const wanted = query('tokens', '2026-11-17', '2026-11-20');
    const mine = await fetched(window.data, wanted);
    service.fail({
      kind: 'alter',
      alter: body => ({
        data: (body as { data: object[] }).data.map(row => ({ ...row, billable_tokens: 1 })),
        meta: { ...(body as { meta: object }).meta, org_id: 'org_other' },
      }),
    });
    clock.now += 24 * 60 * 60 * 1000;
    assert.deepEqual(await fetched(window.data, wanted), mine, 'nothing is asked for that is known');
    // A new day tells whose days the key sees.
    await fetched(window.data, query('tokens', '2026-11-21', '2026-11-21'));
    const other = await fetched(window.data, wanted);
    assert.equal(other.orgId, 'org_other');
    assert.equal(other.figures[0]?.value, 4);
    assert.notEqual(mine.figures[0]?.value, 4);
  });

  it('shows nothing to another key before the service has said, once, whose days it sees', async () => {
    const { clock, service, open } = await begin();
    const { data, useKey, reject } = open();
    const wanted = query('tokens', '2026-11-17', '2026-11-20');
    const mine = await fetched(data, wanted);
    const signInAgain = async (key: string): Promise<void> => {
      clock.now += 1000;
      useKey(key);
      const { orgId, missing, through } = await data.report(wanted);
      assert.deepEqual([orgId, missing.length, through], [undefined, 4, undefined]);
    };
    // What was stored is shown while no key is taken.
    reject();
    assert.deepEqual(await data.report(wanted), mine);
    await signInAgain('another key');
    const again = await fetched(data, wanted);
    assert.deepEqual([again.orgId, again.figures], [mine.orgId, mine.figures]);
    await fetched(data, wanted);
    assert.deepEqual(calls(service).slice(1), ['/tokens 2026-11-10..2026-11-20']);
    // A window opened while the key was refused, and one opened with the other key.
    for (const isRefused of [true, false]) {
      const window = open();
      if (isRefused) window.reject();
      window.useKey(`a third key, ${isRefused}`);
      assert.equal((await window.data.report(wanted)).orgId, undefined);
    }
    service.fail({
      kind: 'alter',
      alter: body => ({
        ...(body as object),
        meta: { ...(body as { meta: object }).meta, org_id: 'org_other' },
      }),
    });
    await signInAgain('the key of another organization');
    const other = await fetched(data, wanted);
    assert.deepEqual([other.orgId, other.missing], ['org_other', []]);
    // The keys that were here before are known.
    useKey('another key');
    assert.deepEqual((await data.report(wanted)).figures, mine.figures);
  });

  it('fetches a finished day once, and one that is not there yet until it is', async () => {
    const { clock, service, open } = await begin();
    const windows = [1, 2].map(() => open().data);
    const wanted = query('tokens', '2026-11-10', '2026-11-20');
    const ask = () => Promise.all(windows.map(data => fetched(data, wanted)));
    const late = answer(service, rows => rows.filter(({ date }) => date !== '2026-11-20'));
    await ask();
    late.dispose();
    clock.now += 59 * 60 * 1000;
    await ask();
    assert.equal(calls(service).length, 1);
    clock.now += 60 * 1000;
    const [whole] = await ask();
    assert.equal(whole?.sections[0]?.table.rows.at(-1)?.cells[0], '2026-11-20');
    clock.now += 40 * 24 * 60 * 60 * 1000;
    await ask();
    assert.deepEqual(calls(service).slice(1), ['/tokens 2026-11-20..2026-11-20']);
  });

  it('asks for a range as a whole again after it failed', async () => {
    const { clock, service, open } = await begin();
    const { data } = open();
    const wanted = query('activity', '2026-10-01', '2026-11-09');
    const outage = service.fail({ kind: 'status', status: 413 });
    assert.equal((await fetched(data, wanted)).missing.length, 40);
    const problem = async (start: string): Promise<string | undefined> =>
      (await data.report(query('activity', start, '2026-11-09'))).problem;
    assert.match((await problem('2026-10-01')) ?? '', /413/);
    assert.equal((await data.report(query('tools', '2026-11-01', '2026-11-09'))).problem, undefined);
    assert.equal(calls(service).length, 1);
    outage.dispose();
    clock.now += 1000;
    assert.deepEqual((await fetched(data, wanted)).missing, []);
    assert.deepEqual(calls(service).slice(1), ['/activity 2026-08-20..2026-11-09']);
  });
});

interface Body {
  readonly data: readonly { readonly date: string }[];
  readonly meta: { readonly start_date: string; readonly end_date: string };
}

describe('an answer about fewer days than were asked for', () => {
  afterEach(cleanUp);

  /** A service that answers for the days that `cut` leaves of what was asked, and says so in `meta` (section 2.1). */
  const open = async (cut: (start: string, end: string) => readonly [string, string], says = true) => {
    const { clock, service, open: window } = await begin();
    const fault = service.fail({
      kind: 'alter',
      alter: body => {
        const { data, meta } = body as Body;
        const [start_date, end_date] = cut(meta.start_date, meta.end_date);
        return {
          data: data.filter(({ date }) => date >= start_date && date <= end_date),
          meta: says ? { ...meta, start_date, end_date } : meta,
        };
      },
    });
    const { data } = window();
    const fetch = (asked = query('tokens', '2026-01-14', '2026-11-20')): Promise<TabReport> =>
      fetched(data, asked);
    return { clock, service, fault, fetch };
  };
  const later = (a: string, b: string): string => (a > b ? a : b);

  it('leaves no day as one without usage: the others are missing, and come when asked for again', async () => {
    const { clock, service, fault, fetch } = await open((start, end) => [
      later(start, addDays(end, -199)),
      end,
    ]);
    const made = await fetch();
    assert.deepEqual(calls(service), ['/tokens 2026-01-14..2026-11-20']);
    assert.deepEqual([made.missing.length, made.unread], [111, 111]);
    assert.equal(made.sections[0]?.table.rows.find(({ id }) => id === '2026-05-04')?.cells[1], null);
    clock.now += 1000;
    const again = await fetch();
    assert.deepEqual(calls(service).slice(1), ['/tokens 2026-01-14..2026-05-04']);
    assert.deepEqual(again.missing, []);
    fault.dispose();
    // A day is put away once.
    const asked = calls(service).length;
    await fetch();
    assert.equal(calls(service).length, asked);
  });

  it('with days that never come keeps no new day away', async () => {
    const { clock, service, fetch } = await open((start, end) => [later(start, '2026-11-01'), end]);
    assert.equal((await fetch(query('tokens', '2026-10-22', '2026-11-20'))).missing.length, 10);
    clock.now += 24 * 60 * 60 * 1000;
    const next = await fetch(query('tokens', '2026-10-22', '2026-11-21'));
    assert.equal(next.missing.length, 10);
    assert.deepEqual(calls(service).slice(1), [
      '/tokens 2026-09-17..2026-10-31',
      '/tokens 2026-11-21..2026-11-21',
    ]);
  });

  it('with the last day not there yet is no failure: the day is asked for later', async () => {
    const { clock, service, fault, fetch } = await open((start, end) => [
      start,
      end < '2026-11-19' ? end : '2026-11-19',
    ]);
    const asked = query('tokens', '2026-11-11', '2026-11-20');
    const early = await fetch(asked);
    assert.deepEqual([early.missing, early.unread, early.problem], [['2026-11-20'], 0, undefined]);
    fault.dispose();
    clock.now += 61 * 60 * 1000;
    assert.equal((await fetch(asked)).through, '2026-11-20');
    assert.equal(calls(service).at(-1), '/tokens 2026-11-20..2026-11-20');
  });

  it('that does not say so is believed', async () => {
    const { service, fetch } = await open((start, end) => [later(start, '2026-11-01'), end], false);
    const { missing, problem, unread } = await fetch(query('tokens', '2026-10-22', '2026-11-20'));
    assert.deepEqual([missing.length, unread, problem], [10, 0, undefined]);
    assert.equal(calls(service).length, 1);
  });
});
