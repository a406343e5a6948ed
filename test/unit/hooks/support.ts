import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import fc from 'fast-check';
import * as vscode from 'vscode';
import {
  hookPlace,
  installedFile,
  placeScript,
  type HookPlace,
  type InstalledFile,
} from '../../../src/hooks/installation';
import { Inbox, type InboxDeps } from '../../../src/hooks/inbox';
import { hookEvent, type HookEvent } from '../../../src/hooks/events';
import type { Collection, CollectionOptions } from '../../../src/storage';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
export { cleanUp, later, temporaryFolder } from '../../fakes/cleanUp';
export { until } from '../../until';

export const root = process.env['AGENT_CONSOLE_ROOT']!;
export const shipped = path.join(root, 'media/hooks');

/** A place with the script in it, as after installing. */
export async function temporaryPlace(folder = path.join(temporaryFolder(), 'hooks')): Promise<HookPlace> {
  const place = hookPlace(folder, root);
  await placeScript(place);
  return place;
}

/** A collection as one window has it. */
const storedIn =
  <T>(path: string, schema: CollectionOptions<T>['schema']) =>
  (root = temporaryFolder()): Collection<T> => {
    const storage = openStorage({ root, log: silentLog() });
    later(() => storage.dispose());
    return storage.collection({ path, version: 1, schema });
  };

/** The taken events. */
export const eventsIn = storedIn<HookEvent>('hook-events', hookEvent);
/** What is known of settings files. */
export const filesIn = storedIn<InstalledFile>('hook-files', installedFile);

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program with something on its standard input. */
export function run(
  file: string,
  args: readonly string[],
  input: string | Buffer,
  env = process.env,
): Promise<Ran> {
  return new Promise(resolve => {
    // A broken pipe would end a client that is less careful.
    const broken: Error[] = [];
    const child = execFile(file, [...args], { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr + broken.join() }),
    );
    child.stdin?.on('error', error => broken.push(error));
    // To write nothing is to write, too.
    if (input.length > 0) child.stdin?.write(input);
    child.stdin?.end();
  });
}

let next = 0;

/** Puts an event into the spool as the script does. */
export function writeEvent(place: HookPlace, event: object | string, at = Date.now()): string {
  const name = `${Math.floor(at / 1000)}.${String(++next).padStart(10, '0')}.json`;
  const temp = path.join(place.spool, name.slice(0, -'.json'.length));
  fs.writeFileSync(temp, typeof event === 'string' ? event : JSON.stringify(event), { mode: 0o600 });
  fs.utimesSync(temp, at / 1000, at / 1000);
  fs.renameSync(temp, path.join(place.spool, name));
  return name;
}

/** The folder of this window. */
export function openFolder(fsPath: string): void {
  const { workspace } = vscode as { workspace: { workspaceFolders: unknown } };
  const before = workspace.workspaceFolders;
  later(() => (workspace.workspaceFolders = before));
  workspace.workspaceFolders = [{ uri: { scheme: 'file', fsPath } }];
}

export function jsonFiles(folder: string): string[] {
  return fs.readdirSync(folder).filter(name => name.endsWith('.json'));
}

/** The focus of a window, which somebody can see unless `isShown` says otherwise. */
export function focusedAs(current: boolean, isShown: () => Promise<void> = () => Promise.resolve()) {
  return { current, isShown, onDidChange: () => ({ dispose: () => undefined }) };
}

/** What one window takes from the spool, at once unless told otherwise. */
export function inboxOf({ spool }: HookPlace, more: Partial<InboxDeps> = {}) {
  const taken: HookEvent[] = [];
  const log = silentLog();
  const deps: InboxDeps = {
    spool,
    events: eventsIn(),
    folders: () => [],
    focused: focusedAs(true),
    take: event => taken.push(event),
    log,
    stepMs: 0,
    ...more,
  };
  const inbox = new Inbox(deps);
  later(() => inbox.dispose());
  return { taken, log, events: deps.events };
}

/** Some or all of these fields. */
const some = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<T, never>(fields, { requiredKeys: [], noNullPrototype: true });
const ownCommand = fc.record({
  ...{ type: fc.constant('command'), command: fc.string({ minLength: 1 }), timeout: fc.nat(60) },
});
const entry = fc.record(
  { matcher: fc.string(), hooks: fc.array(ownCommand, { maxLength: 2 }) },
  { requiredKeys: ['hooks'], noNullPrototype: true },
);
const entries = fc.array(entry, { maxLength: 2 });
const foreign = fc
  .jsonValue({ maxDepth: 3 })
  .map(value => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')) as unknown);

/** JSON with comments as people and programs write it: any spacing, line ends, trailing commas, a BOM, hooks of others. */
export const settingsFile: fc.Arbitrary<string> = fc
  .record({
    value: some<Record<string, unknown>>({
      model: fc.string(),
      nested: foreign,
      'https://a//b': fc.constant('/* not a comment */ // nor this'),
      hooks: some<Record<string, unknown>>({
        ...{ Notification: entries, Stop: entries, SubagentStop: entries },
        ...{ SessionEnd: entries, PostToolUse: entries },
      }),
      last: fc.boolean(),
    }),
    eol: fc.constantFrom('\n', '\r\n'),
    bom: fc.boolean(),
    end: fc.constantFrom('', '\n', '\n\n // the end\n'),
    choices: fc.array(fc.nat(11), { minLength: 40, maxLength: 40 }),
  })
  .map(({ value, eol, bom, end, choices }) => {
    let next = 0;
    const choose = (): number => choices[next++ % choices.length] ?? 0;
    const space = (depth: number): string =>
      [
        '',
        '',
        ' ',
        ' ',
        eol + '  '.repeat(depth),
        eol + '\t'.repeat(depth),
        ` /* c${choose()} */ `,
        ` // l${choose()}${eol}`,
      ][choose()] ?? `${eol}${'    '.repeat(depth)}`;
    const write = (item: unknown, depth: number): string => {
      if (typeof item !== 'object' || item === null) return JSON.stringify(item);
      const parts = Array.isArray(item)
        ? item.map(child => write(child, depth + 1))
        : Object.entries(item).map(
            ([key, child]) =>
              `${JSON.stringify(key)}${space(depth)}:${space(depth)}${write(child, depth + 1)}`,
          );
      const [open, close] = Array.isArray(item) ? ['[', ']'] : ['{', '}'];
      const inner = parts.map(part => space(depth + 1) + part + space(depth)).join(',');
      const trailing = parts.length > 0 && choose() < 3 ? `,${space(depth)}` : '';
      return open + inner + trailing + space(depth) + close;
    };
    return (bom ? '\ufeff' : '') + space(0) + write(value, 0) + end.replaceAll('\n', eol);
  });
