import { titleOf, type SessionStatus } from './model';
import { isUnread } from './overlay';
import type { SessionRecord } from './record';

/** What a filter looks at beside the record. */
export interface FilterFacts {
  readonly status: SessionStatus;
  readonly computerName?: string | undefined;
}

export type SessionFilter = (record: SessionRecord, facts: FilterFacts) => boolean;

/**
 * A filter from its text: words that must all be found in the title, the id, notes, tags, computer or model, and
 * `status:running`, `computer:atlas`, `tag:x`, `model:x`, `origin:hook`, `is:waiting|unread|pinned|archived`. Values with spaces
 * stand in double quotes; a minus before a word turns it round. `undefined` for an empty text.
 */
export function parseFilter(text: string): SessionFilter | undefined {
  const tests = [...text.matchAll(/(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/gi)].flatMap(
    ([, minus, key, quoted, word]) => {
      const value = (quoted ?? word ?? '').toLowerCase();
      if (value === '') return [];
      const test = testOf(key?.toLowerCase(), value);
      return [minus === '-' ? (...of: Parameters<SessionFilter>) => !test(...of) : test];
    },
  );
  return tests.length === 0 ? undefined : (record, facts) => tests.every(test => test(record, facts));
}

function testOf(key: string | undefined, value: string): SessionFilter {
  const found = (text: string | undefined): boolean => text?.toLowerCase().includes(value) ?? false;
  switch (key) {
    case undefined:
      return (record, facts) => wordsOf(record, facts).some(found);
    case 'status':
      return (_, { status }) => found(status.value);
    case 'computer':
      return (record, { computerName }) => found(computerName) || found(record.session?.computerId);
    case 'tag':
      return record => tagsOf(record).some(found);
    case 'model':
      return record => found(record.session?.sessionSettings?.model);
    case 'origin':
      return record => record.origin === value;
    case 'is':
      return record => isIt(record, value);
    default:
      // No key of ours, such as the beginning of an address: a word like any other.
      return testOf(undefined, `${key}:${value}`);
  }
}

function isIt(record: SessionRecord, what: string): boolean {
  switch (what) {
    case 'waiting':
      return record.signal?.kind === 'waiting';
    case 'unread':
      return isUnread(record.local, record.session?.messageCount);
    case 'pinned':
      return record.local.pinned === true;
    case 'archived':
      return record.local.archivedAt !== undefined;
    default:
      return false;
  }
}

/** Tags of the service and tags given here. */
export function tagsOf(record: SessionRecord): readonly string[] {
  const told = record.session?.sessionSettings?.tags ?? [];
  return [...new Set([...told.map(tag => tag.name), ...(record.local.tags ?? [])])];
}

function wordsOf(record: SessionRecord, { computerName }: FilterFacts): readonly (string | undefined)[] {
  const { session, local } = record;
  return [
    titleOf(record),
    session?.title,
    record.sessionId,
    local.notes,
    computerName,
    session?.sessionSettings?.model,
    ...tagsOf(record),
  ];
}
