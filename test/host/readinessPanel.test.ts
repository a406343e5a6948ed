import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Connection, ConnectionState } from '../../src/connection';
import { registerReadiness, type ReadinessTreeNode } from '../../src/readiness';
import { openStorage } from '../../src/storage';
import { Formatter } from '../../src/util/format';
import { silentLog } from '../fakes/log';

/** A panel that is given back before it is known which service is used. */
describe('a restored readiness report', () => {
  it('says that it is not known only once what is kept has been read', async () => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'agent-console-panel-'));
    const none = new vscode.EventEmitter<never>();
    const signedOut: ConnectionState = { kind: 'signedOut' };
    let know: (state: ConnectionState) => void = () => undefined;
    const known = new Promise<ConnectionState>(resolve => (know = resolve));
    const connection: Connection = {
      state: { current: signedOut, onDidChange: none.event },
      api: undefined,
      onDidBecomeReady: none.event,
      ready: () => known,
    };
    const posted = new vscode.EventEmitter<string>();
    const names: string[] = [];
    posted.event(name => names.push(name));
    const toPanel = new vscode.EventEmitter<unknown>();
    const webview = {
      html: '',
      options: {},
      cspSource: 'none',
      asWebviewUri: (uri: vscode.Uri) => uri,
      onDidReceiveMessage: toPanel.event,
      postMessage: (message: { readonly name: string }) => {
        posted.fire(message.name);
        return Promise.resolve(true);
      },
    };
    const panel = {
      webview,
      title: '',
      visible: true,
      active: true,
      onDidDispose: none.event,
      onDidChangeViewState: none.event,
      reveal: () => undefined,
      dispose: () => undefined,
    } as unknown as vscode.WebviewPanel;
    const view = { visible: false, onDidChangeVisibility: none.event } as unknown;
    const log = silentLog();
    const storage = openStorage({ root, log });
    const readiness = registerReadiness({
      connection,
      storage,
      log,
      extensionUri: vscode.Uri.file(root),
      view: view as vscode.TreeView<ReadinessTreeNode>,
      focused: { current: true, onDidChange: none.event },
      format: new Formatter('en'),
      prefill: () => Promise.resolve(false),
    });
    try {
      const restored = readiness.restorePanel(panel, { key: 'h/a/b', reportId: 'r' });
      toPanel.fire({ kind: 'notification', name: 'ready', params: {} });
      await new Promise(resolve => setImmediate(resolve));
      assert.deepEqual(names, ['start']);
      const missing = new Promise<void>(resolve => posted.event(name => name === 'missing' && resolve()));
      know(signedOut);
      await restored;
      await missing;
      assert.deepEqual([...new Set(names)], ['start', 'missing']);
    } finally {
      readiness.dispose();
      await storage.settled();
      storage.dispose();
      fs.rmSync(root, { recursive: true, force: true });
    }
  });
});
