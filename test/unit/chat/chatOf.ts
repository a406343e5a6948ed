import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import type { ApiClient } from '../../../src/api';
import { Chat } from '../../../src/chat';
import type { Connection } from '../../../src/connection';
import { Emitter, ObservableValue, type Event } from '../../../src/util/event';
import type { DetailsDocuments } from '../../../src/util/detailsDocuments';
import { silentLog } from '../../fakes/log';
import { Uri } from '../../fakes/vscode';
import { afterwards, limits, temporaryFolder, type openWindow } from './support';

/** The whole chat of a window, in its view. */
export function chatOf(
  window: Awaited<ReturnType<typeof openWindow>>,
  client: ApiClient,
  onDidSelect: Event<readonly unknown[]> = new Emitter<readonly unknown[]>().event,
  show: DetailsDocuments['show'] = () => assert.fail('a document is shown'),
): Chat {
  const service = { id: window.conversation.serviceId, host: 'localhost' };
  const chat = new Chat({
    connection: {
      state: new ObservableValue({ kind: 'signedIn', service }),
      ready: () => Promise.resolve(),
      onDidBecomeReady: new Emitter<void>().event,
      api: client,
    } as unknown as Connection,
    storage: window.storage,
    sessions: window.sessions,
    log: silentLog(),
    extensionUri: Uri.file('/extension') as unknown as vscode.Uri,
    storageUri: { fsPath: temporaryFolder() } as unknown as vscode.Uri,
    composer: {
      sendKey: () => 'enter',
      limits: () => limits(1024),
      onDidChange: new Emitter<unknown>().event,
    },
    location: () => 'view',
    extras: () => true,
    memory: { get: () => undefined, update: () => Promise.resolve() },
    details: {
      show,
      compare: () => assert.fail('a document is shown'),
    },
    onDidSelect,
  });
  afterwards(() => chat.dispose());
  return chat;
}
