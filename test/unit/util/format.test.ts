import assert from 'node:assert/strict';
import { Formatter, supportedLanguage } from '../../../src/util/format';

describe('formats', () => {
  const english = new Formatter('en');
  const german = new Formatter('de');

  it('shows spans in the largest whole unit', () => {
    assert.equal(english.span(12_400), '12 sec');
    assert.equal(english.span(2 * 60_000 + 59_000), '2 min');
    assert.equal(english.span(3 * 3_600_000), '3 hr');
    assert.equal(english.span(5 * 86_400_000), '5 days');
    assert.equal(english.span(-5), '0 sec');
    assert.equal(german.span(2 * 86_400_000), '2 Tg.');
  });

  it('shows how long something took in two units', () => {
    const minute = 60_000;
    const times = [
      0,
      999,
      58_900,
      minute,
      119_000,
      120_000,
      7_140_000,
      180 * minute + 59_000,
      51 * 60 * minute,
      -5,
    ];
    assert.equal(
      times.map(ms => english.duration(ms)).join(),
      '0 sec,0 sec,58 sec,1 min,1 min 59 sec,2 min,1 hr 59 min,3 hr,2 days 3 hr,0 sec',
    );
    assert.match(german.duration(7_140_000), /^1 Std\.,? (?:und )?59 Min\.$/);
  });

  it('shows sizes in steps of 1,024', () => {
    assert.equal(english.bytes(0), '0 bytes');
    assert.equal(english.bytes(1023), '1,023 bytes');
    assert.equal(english.bytes(1536), '1.5 kB');
    assert.equal(english.bytes(10 * 1024 * 1024), '10 MB');
    assert.equal(german.bytes(1536), '1,5 kB');
  });

  it('shortens numbers and keeps every digit where asked', () => {
    assert.equal(english.compact(4_210_000), '4.2M');
    assert.equal(english.number(4_210_000), '4,210,000');
  });

  it('falls back to English for a language it does not know', () => {
    assert.equal(new Formatter('xx-invalid-').compact(1500), '1.5K');
    const named = ['en-GB@posix', 'de_DE.UTF-8', 'C', ''].map(supportedLanguage);
    assert.deepEqual(named, ['en-GB', 'de-DE', 'en', 'en']);
  });

  it('shows a time that is not one as it is', () => {
    for (const time of [Number.NaN, Infinity, 1.7e18, -1.7e18])
      assert.equal(english.exact(time), String(time));
  });
});
