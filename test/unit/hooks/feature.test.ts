import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { Hooks } from '../../../src/hooks';
import { hookPlace, installedFile, placeScript } from '../../../src/hooks/install/installation';
import { FRESH_MS, type HookSignal, type SessionsForHooks } from '../../../src/hooks/model';
import { Formatter } from '../../../src/util/format';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
import { told } from '../../fakes/vscode';
import { cleanUp, focusedAs, jsonFiles, later, root, temporaryFolder, until, writeEvent } from './support';

const nothing = () => ({ dispose: () => undefined });

/** A window in which hooks are installed, and what it does about their events. */
async function scene(outgoing: unknown, spoil: (script: string) => void = () => undefined) {
  const editor = vscode as unknown as Record<'workspace' | 'window', Record<string, unknown>>;
  const before = [{ ...editor.workspace }, editor.window['terminals']] as const;
  later(() => Object.assign(editor.workspace, before[0]));
  const folder = temporaryFolder();
  const workspaceFolders = [{ uri: { scheme: 'file', fsPath: folder } }];
  Object.assign(editor.workspace, { workspaceFolders, onDidGrantWorkspaceTrust: nothing });
  Object.assign(editor.window, { terminals: [] });
  const [dataFolder, log] = [temporaryFolder(), silentLog()];
  const storage = openStorage({ root: temporaryFolder(), log });
  const place = hookPlace(path.join(dataFolder, 'hooks'), root);
  await placeScript(place);
  spoil(place.script);
  const files = storage.collection({ path: 'hook-files', version: 1, schema: installedFile });
  await files.put('a', { file: '/a', written: 'x' });
  const signals: HookSignal[] = [];
  const sessions: Partial<SessionsForHooks> = {
    signal: signal => Promise.resolve(void signals.push(signal)),
    waiting: () => [],
    isMuted: () => false,
    titleOf: () => 'Fix the test',
    onDidChange: nothing,
    onDidChangeState: nothing,
  };
  told.length = 0;
  const hooks = new Hooks({
    ...{ storage, dataFolder, log, extensionFolder: root, format: new Formatter('en') },
    focused: focusedAs(true),
    details: { compare: () => Promise.reject(new Error('Nothing is compared.')) },
    sessions: () => Promise.resolve(sessions as SessionsForHooks),
    settings: {
      hooksOutgoing: () => outgoing,
      notifications: { about: () => ['waiting'], quietWhenFocused: () => true },
    },
    onDidChangeSettings: nothing,
    isShown: () => false,
  });
  later(async () => {
    hooks.dispose();
    await storage.settled();
    storage.dispose();
  });
  const event = { hook_event_name: 'Notification', session_id: 's', cwd: folder };
  return { place, folder, log, signals, event };
}

describe('events of hooks', function () {
  afterEach(cleanUp);

  it('are noted, told of and run commands; those older than ten minutes are only noted', async () => {
    const ran = path.join(temporaryFolder(), 'ran');
    const own = { type: 'command', command: `cat >>'${ran}'; echo >>'${ran}'` };
    const { place, signals, event } = await scene({ Notification: [{ hooks: [own] }] });
    const old = Date.now() - FRESH_MS - 60_000;
    writeEvent(place, { ...event, message: 'Too late' }, old);
    await until(() => signals.length === 1);
    writeEvent(place, { ...event, message: 'May I?' });
    const lines = (): string[] => (fs.existsSync(ran) ? fs.readFileSync(ran, 'utf8').trim().split('\n') : []);
    await until(() => signals.length === 2 && told.length > 0 && lines().some(line => line.endsWith('}')));
    assert.deepEqual(
      signals.map(({ kind, message }) => `${kind}: ${message}`),
      ['waiting: Too late', 'waiting: May I?'],
    );
    assert.equal(told.length, 1, told.join());
    assert.match(told.join(), /is waiting for you: May I\?$/);
    assert.deepEqual(
      lines().map(line => (JSON.parse(line) as { message: string }).message),
      ['May I?'],
    );
    assert.deepEqual(jsonFiles(place.spool), []);
  });

  it('are heard though the script cannot be mended; own commands that cannot be used are named in the log', async () => {
    const { place, signals, event, log } = await scene({ Stop: [{}], Other: [] }, script => {
      fs.rmSync(script);
      fs.mkdirSync(script);
    });
    writeEvent(place, event);
    await until(() => signals.length === 1);
    assert.ok(log.lines.some(line => /hooks\.outgoing that cannot be used: Stop\[0\], Other/.test(line)));
  });
});
