import assert from 'node:assert/strict';
import { contributes } from '../../../package.json';
import type { ApiClient } from '../../../src/api';
import { transcriptRecords } from '../../../src/chat';
import { computerRecords } from '../../../src/computers';
import { controlRecords } from '../../../src/organization';
import { readinessRecords } from '../../../src/readiness';
import { sessionRecords } from '../../../src/sessions';
import type { SessionRecord } from '../../../src/sessions/record';
import type { CollectionOptions } from '../../../src/storage';
import { idOf } from '../../../src/sync/stored';
import { sourcesOf } from '../../../src/sources';
import { callTool, Tools, type ToolsDeps } from '../../../src/tools';
import { redact } from '../../../src/util/redact';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { FakeConnection } from '../../fakes/connection';
import { silentLog } from '../../fakes/log';
import { storeRows } from '../../fakes/storage';
import * as editor from '../../fakes/vscode';
import { openWindow } from '../storage/support';

export const NOON = Date.UTC(2026, 10, 21, 12);
const addresses = { baseUrl: 'https://api.test', appUrl: 'https://app.test', host: 'api.test' };
const service = { id: 'one', ...addresses, source: 'settings' } as const;
export const root = process.env['AGENT_CONSOLE_ROOT']!;

/** Every tool that reads, with what it is asked. */
export const reading = Object.entries<Record<string, unknown>>({
  ...{ list_sessions: {}, read_session: { sessionId: 's0' }, search: { query: 'fine' }, list_computers: {} },
  ...{ readiness: { repository: 'acme/shop' }, usage: {}, control_changes: {} },
});

/** What is stored, with words of strangers in every place that has them: of several each in one of as many. */
export interface Kept {
  readonly sessions?: readonly Partial<SessionRecord>[];
  readonly messages?: readonly { readonly id: string; readonly text: string; readonly role?: string }[];
  readonly words?: readonly string[];
}

export function stored({ words = ['fine'], sessions = words.map(() => ({})), messages = [] }: Kept = {}) {
  const folder = temporaryFolder();
  const store = <T>(kind: CollectionOptions<T>, rows: readonly (readonly [string, unknown])[]): void =>
    storeRows(folder, kind.path, kind.version, rows, kind);
  const list = <T>(kind: CollectionOptions<T>, items: Readonly<Record<string, object>>): void => {
    const rows = Object.entries(items).map(([key, item]) => [idOf(key), { item }] as const);
    store(kind, [...rows, ['head', { head: { at: NOON, problems: [] } }]]);
  };
  const session = (each: Partial<SessionRecord>, at: number) => {
    const sessionId = each.sessionId ?? `s${at}`;
    const title = words[at] ?? 'fine';
    const messageCount = messages.length + 1;
    const told = { sessionId, status: 'idle', title, messageCount, updatedAt: NOON - at };
    const known = { sessionId, origin: 'added', addedAt: NOON, checkedAt: NOON, session: told, local: {} };
    return [sessionId, { ...known, computerName: words[at], ...each }] as const;
  };
  store(sessionRecords('one'), sessions.map(session));
  const said = messages.map(({ id, text, role = 'user' }, at) => {
    const message = { id, role, createdAt: NOON + at, content: [{ type: 'text', text }] };
    return [id, { id, message }] as const;
  });
  store(transcriptRecords('one', 's0'), said);
  const eachAs = <T>(make: (text: string, at: number) => T): Record<string, T> =>
    Object.fromEntries(words.map((text, at) => [`c${at}`, make(text, at)]));
  const computer = (name: string, at: number) => ({ id: `c${at}`, name, status: 'active', hostname: name });
  list(computerRecords('one'), eachAs(computer));
  const report = (reportId: string, createdAt: number, numerator: number, name = 'shop') => ({
    ...{ reportId, createdAt, repoUrl: `https://git.test/acme/${name}` },
    ...{ branch: 'main', commitHash: words[0] },
    report: {
      ...eachAs(rationale => ({ numerator, denominator: 2, rationale })),
      tests: { numerator: 1, denominator: 1 },
    },
  });
  const reports = { r1: report('r1', NOON - 9, 2), r2: report('r2', NOON, 1) };
  list(readinessRecords(service), { ...reports, r3: report('r3', NOON, 1, 'shop-web') });
  const revision = (number: number, level: string) => ({
    revision: number,
    settings: { maxAutonomyLevel: level, ...eachAs(text => (number === 1 ? 0 : text)) },
    ...{ user: { name: 'Ann' }, updatedAt: new Date(NOON + number).toISOString() },
  });
  list(controlRecords('one'), { 1: revision(1, 'high'), 2: revision(2, 'low') });
  return folder;
}

type Rows = readonly Readonly<Record<string, unknown>>[];
type Lists = 'sessions' | 'messages' | 'hits' | 'repositories' | 'revisions' | 'tables';
export type Told = Readonly<Record<string, unknown>> &
  Readonly<Record<Lists, Rows> & Record<'note' | 'readOn' | 'names', string>>;
export type Scene = Awaited<ReturnType<typeof open>>;

const columns = [{ id: 'person' }, { id: 'tokens' }];
const rowsOf = (names: boolean) =>
  Array.from({ length: 40 }, (_, at) => ({ cells: [names ? `Ann ${at}` : `Person ${at}`, at] }));

/** What one window has of the tools. Any request would fail: there is no client. */
export function open(folder = stored(), deps: Partial<ToolsDeps> = {}) {
  const storage = openWindow(folder);
  const connection = new FakeConnection(undefined as unknown as ApiClient, service, 'one');
  const tools = new Tools({
    ...{ connection, storage },
    log: Object.assign(silentLog(), { clean: (text: string) => redact(text, { own: 'my own key' }) }),
    sources: sourcesOf({
      ...{ storage, connection },
      usage: ({ names, ...asked }) =>
        Promise.resolve({
          query: { range: { start: asked.start ?? '2026-11-14', end: asked.end ?? '2026-11-20' } },
          through: '2026-11-19',
          missing: ['2026-11-20'],
          figures: [{ id: 'tokens', label: 'Tokens', value: { value: 7, known: 6, of: 7 } }],
          sections: [{ id: 'people', title: 'People', table: { columns, rows: rowsOf(names) } }],
        } as never),
    }),
    called: contributes.languageModelTools,
    mayWrite: () => false,
    create: () => Promise.resolve(undefined),
    send: () => Promise.resolve({ state: 'refused', sentence: 'No.' }),
    open: () => Promise.resolve(),
    prefill: () => Promise.resolve(),
    ...deps,
  });
  later(() => tools.dispose());
  const ask = async (name: string, input: object = {}, signal = new AbortController().signal) => {
    const { text, structured } = await callTool(tools.all, name, input, signal);
    assert.equal(text, JSON.stringify(structured), 'both forms of the answer say the same');
    return JSON.parse(text) as Told;
  };
  return { tools, connection, storage, ask };
}

/** A person who is asked something: answers each question with a button, or with none, and remembers what they read. */
export function person(...presses: readonly (string | undefined)[]): string[] {
  const [read, left]: [string[], (string | undefined)[]] = [[], [...presses]];
  const showWarningMessage = (question: string, { detail }: { detail: string }) => {
    read.push(`${question}\n${detail}`);
    return Promise.resolve(left.shift());
  };
  Object.assign(editor.window, { showWarningMessage });
  later(() => Reflect.deleteProperty(editor.window, 'showWarningMessage'));
  return read;
}
