import * as fs from 'node:fs';
import * as path from 'node:path';
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

/** The whole lines of a file that others write. */
export function linesOf(file: string): string[] {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
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
