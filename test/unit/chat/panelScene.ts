import type * as vscode from 'vscode';
import { ChatPanel, type ChatPlace } from '../../../src/chat/panel/panel';
import type { Connection } from '../../../src/connection';
import { Emitter, ObservableValue } from '../../../src/util/event';
import { silentLog } from '../../fakes/log';
import { Uri } from '../../fakes/vscode';
import type { Scene } from './scene';
import { afterwards, limits, until } from './support';

/** What a panel says to its page. */
export interface ToPage {
  readonly kind: string;
  readonly id?: number;
  readonly name?: string;
  readonly payload?: unknown;
}

/** A place as VS Code hands it over, and both ends of what its page would say and hear. */
export function pageOf(kind: 'panel' | 'view', active = true) {
  const said = new Emitter<unknown>();
  const posted: ToPage[] = [];
  const heard = new Emitter<ToPage>();
  const never = new Emitter<unknown>().event as vscode.Event<unknown>;
  const place = {
    ...(kind === 'panel' && { active }),
    visible: true,
    onDidChangeViewState: never,
    onDidChangeVisibility: never,
    onDidDispose: never,
    reveal: () => undefined,
    show: () => undefined,
    webview: {
      options: {},
      html: '',
      cspSource: 'pages:',
      asWebviewUri: (uri: unknown) => uri,
      onDidReceiveMessage: said.event as vscode.Event<unknown>,
      postMessage: (message: ToPage) => {
        posted.push(message);
        heard.fire(message);
        return Promise.resolve(true);
      },
    },
  } as unknown as ChatPlace;
  return { place, said, posted, heard };
}

/** The real panel of a conversation, and its page. */
export function panelOf({ window, client }: Scene, kind: 'panel' | 'view' = 'panel') {
  const { conversation, sessions } = window;
  const { place, said, posted, heard } = pageOf(kind);
  const shown: string[][] = [];
  const service = { id: conversation.serviceId, host: 'localhost' };
  const never = new Emitter<unknown>().event as vscode.Event<unknown>;
  const state = new ObservableValue({ kind: 'signedIn', service });
  const becameReady = new Emitter<void>();
  const connection = {
    state,
    api: client,
    onDidBecomeReady: becameReady.event,
  } as unknown as Connection;
  const log = silentLog();
  const panel = new ChatPanel(place, {
    extensionUri: Uri.file('/extension') as unknown as vscode.Uri,
    conversation,
    connection,
    sessions,
    log,
    title: 'Session',
    details: {
      compare: () => Promise.resolve(Uri.file('/after') as unknown as vscode.Uri),
      show: (id, title, content) => Promise.resolve(void shown.push([id, title, content()])),
    },
    composer: { sendKey: () => 'enter', limits: () => limits(1024), onDidChange: never },
    reading: new Map(),
  });
  afterwards(() => panel.leave());
  /** Asks the panel, as its page does: resolves to the answer, rejects with the reason. */
  const ask = async (name: string, params: object): Promise<unknown> => {
    said.fire({ name: 'ready', params: {} });
    const id = posted.length + 1;
    said.fire({ id, name, params });
    await until(heard.event, () => posted.some(message => message.id === id));
    const answer = posted.find(message => message.id === id) as { value?: unknown; reason?: string };
    if (answer.reason !== undefined) throw new Error(answer.reason);
    return answer.value;
  };
  return { panel, said, ask, posted, heard: heard.event, log, state, becameReady, shown };
}
