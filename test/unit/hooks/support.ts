import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { hookPlace, installedFile, placeScript, type HookPlace } from '../../../src/hooks/installation';
import { Inbox, type InboxDeps } from '../../../src/hooks/inbox';
import { hookEvent, type HookEvent } from '../../../src/hooks/events';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { openWindow } from '../storage/support';
export { later, temporaryFolder } from '../../fakes/cleanUp';
export { until } from '../../until';

export const root = process.env['AGENT_CONSOLE_ROOT']!;

/** A place with the script in it, as after installing. */
export async function temporaryPlace(folder = path.join(temporaryFolder(), 'hooks')): Promise<HookPlace> {
  const place = hookPlace(folder, root);
  await placeScript(place);
  return place;
}

/** What one window knows of the events that were taken, and of settings files. */
export const eventsIn = (stored = temporaryFolder()) =>
  openWindow(stored).collection({ path: 'hook-events', version: 1, schema: hookEvent });
export const filesIn = (stored = temporaryFolder()) =>
  openWindow(stored).collection({ path: 'hook-files', version: 1, schema: installedFile });

let next = 0;

/** Puts an event into the spool as the script does. */
export function writeEvent({ spool }: HookPlace, event: object | string, at = Date.now()): string {
  const name = `${Math.floor(at / 1000)}.${String(++next).padStart(10, '0')}.json`;
  const temp = path.join(spool, name.slice(0, -'.json'.length));
  fs.writeFileSync(temp, typeof event === 'string' ? event : JSON.stringify(event), { mode: 0o600 });
  fs.utimesSync(temp, at / 1000, at / 1000);
  fs.renameSync(temp, path.join(spool, name));
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

export const modeOf = (file: string): number => fs.statSync(file).mode & 0o777;

export function jsonFiles(folder: string): string[] {
  return fs.readdirSync(folder).filter(name => name.endsWith('.json'));
}

/** The focus of a window, which somebody can see unless `isShown` says otherwise. */
export function focusedAs(current: boolean, isShown = (): Promise<void> => Promise.resolve()) {
  return { current, isShown, onDidChange: () => ({ dispose: () => undefined }) };
}

/** What one window takes from the spool, at once unless told otherwise. */
export function inboxOf({ spool }: HookPlace, more: Partial<InboxDeps> = {}) {
  const taken: HookEvent[] = [];
  const [log, events] = [silentLog(), more.events ?? eventsIn()];
  const usual = {
    spool,
    events,
    folders: () => [],
    mayRun: () => true,
    focused: focusedAs(true),
    log,
    stepMs: 0,
  };
  const inbox = new Inbox({ ...usual, take: event => taken.push(event), ...more });
  later(() => inbox.dispose());
  return { taken, log, events };
}
