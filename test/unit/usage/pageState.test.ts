import assert from 'node:assert/strict';
import {
  endFetch,
  fetching,
  fetchingText,
  onProgress,
  showFetch,
  situation,
  start,
} from '../../../media/usage/state';
import { dashboardStrings } from '../../../src/usage/dashboardStrings';
import { firstState } from '../../../src/usage/protocol';
import { bounds } from '../../fakes/usageReports';

describe('what the usage page says while days are fetched', () => {
  beforeEach(() => {
    const now = { bounds, state: { kind: 'ready' } } as const;
    situation.value = now;
    start.value = { strings: dashboardStrings(), language: 'en', situation: now, state: firstState };
    fetching.value = undefined;
  });

  it('is nothing at first, then that days are fetched, then how many', () => {
    assert.equal(fetchingText.value, undefined);
    fetching.value = { id: 4, fraction: 0, label: '', seen: false };
    assert.equal(fetchingText.value, undefined, 'most fetches are over before anybody could read it');
    showFetch(4);
    assert.equal(fetchingText.value, 'Fetching');
    onProgress({ id: 4, fraction: 0.4, label: '12 of 30 days' });
    assert.deepEqual([fetchingText.value, fetching.value.fraction], ['12 of 30 days', 0.4]);
    assert.ok(endFetch(4));
    assert.equal(fetchingText.value, undefined);
  });

  it('says how far it is as soon as that is known', () => {
    fetching.value = { id: 4, fraction: 0, label: '', seen: false };
    onProgress({ id: 4, fraction: 0.2, label: '2 pages of people read' });
    assert.equal(fetchingText.value, '2 pages of people read');
  });

  it('is not of a fetch that is over', () => {
    fetching.value = { id: 5, fraction: 0, label: '', seen: false };
    onProgress({ id: 4, fraction: 1, label: '30 of 30 days' });
    showFetch(4);
    assert.equal(fetchingText.value, undefined);
    assert.equal(endFetch(4), false);
    assert.equal(fetching.value.id, 5);
  });
});
