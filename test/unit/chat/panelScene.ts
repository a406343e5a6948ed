import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import type { ApiClient } from '../../../src/api';
import { Chat } from '../../../src/chat';
import { ChatPanel, type PanelDeps } from '../../../src/chat/panel/panel';
import type { PanelState, Start } from '../../../src/chat/protocol';
import { Emitter, ObservableValue, type Event } from '../../../src/util/event';
import type { DetailsDocuments } from '../../../src/util/detailsDocuments';
import type { Place } from '../../../src/webview/page';
import { silentLog } from '../../fakes/log';
import { Uri } from '../../fakes/vscode';
import type { Scene } from './scene';
import { afterwards, temporaryFolder, until, type Window } from './support';

/** What a panel says to its page. */
export interface ToPage {
  readonly kind: string;
  readonly id?: number;
  readonly name?: string;
  readonly payload?: unknown;
}

const never = new Emitter<never>().event;

/** A place as VS Code hands it over, and both ends of what its page would say and hear. */
export function pageOf(kind: 'panel' | 'view', active = true) {
  const said = new Emitter<unknown>();
  const posted: ToPage[] = [];
  const heard = new Emitter<ToPage>();
  const written: string[] = [];
  const shown = new Emitter<void>();
  const webview = {
    options: {},
    cspSource: 'pages:',
    asWebviewUri: (uri: unknown) => uri,
    onDidReceiveMessage: said.event,
    postMessage: (message: ToPage) => {
      posted.push(message);
      heard.fire(message);
      return Promise.resolve(true);
    },
    set html(text: string) {
      written.push(text);
    },
  };
  const place = {
    ...(kind === 'panel'
      ? { active, onDidChangeViewState: shown.event }
      : { onDidChangeVisibility: shown.event }),
    ...{ visible: true, onDidDispose: never, webview },
    reveal: () => undefined,
    show: () => undefined,
  };
  /** As the person shows and hides it. */
  const show = (visible: boolean): void => {
    place.visible = visible;
    shown.fire();
  };
  return { place: place as unknown as Place, said, posted, heard, written, show };
}

const extensionUri = Uri.file('/extension') as unknown as vscode.Uri;

/** What panels need of a window, and the state of its connection. */
function depsOf(window: Window, client: ApiClient, show: DetailsDocuments['show']) {
  const service = { id: window.conversation.serviceId, host: 'localhost' };
  const state = new ObservableValue({ kind: 'signedIn', service });
  const becameReady = new Emitter<void>();
  const connection = {
    ...{ state, api: client, onDidBecomeReady: becameReady.event },
    ready: () => Promise.resolve(),
  } as unknown as PanelDeps['connection'];
  const log = silentLog();
  const deps: PanelDeps = {
    ...{ extensionUri, connection, sessions: window.sessions, log },
    changes: { of: () => undefined, onDidChange: never },
    details: { show, compare: () => assert.fail('a document is shown') },
    composer: { sendKey: () => 'enter', limits: () => ({ file: 1024, message: 10_240 }), onDidChange: never },
  };
  return { deps, log, state, becameReady };
}

/** The real panel of a conversation, and its page. */
export function panelOf({ window, client }: Scene, kind: 'panel' | 'view' = 'panel', title = 'Session') {
  const { place, said, posted, heard, written, show: showPage } = pageOf(kind);
  const shown: string[][] = [];
  const show: DetailsDocuments['show'] = (...about) =>
    Promise.resolve(void shown.push([about[0], about[1], about[2]()]));
  const { deps, ...rest } = depsOf(window, client, show);
  let isLet = true;
  const lease = { dispose: () => (isLet = false) };
  const { conversation } = window;
  const panel = new ChatPanel(place, { ...deps, conversation, lease, title, reading: new Map() });
  afterwards(() => panel.dispose());
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
  /** What the page was told last under this name. */
  const told = (name: string): unknown => posted.findLast(message => message.name === name)?.payload;
  return {
    ...{ panel, said, ask, posted, heard: heard.event, shown, written, show: showPage, ...rest },
    isLet: () => isLet,
    begun: () => said.fire({ name: 'ready', params: {} }),
    write: (text: string, seen: number, version: number) =>
      said.fire({ name: 'draft', params: { text, seen, version } }),
    send: (text: string, sendId = 'an-id-of-a-send') =>
      said.fire({ id: 1, name: 'send', params: { text, seen: 0, sendId } }),
    draft: () => (told('setDraft') as { readonly text?: string } | undefined)?.text,
    start: () => told('start') as Start | undefined,
    shows: () => told('state') as PanelState | undefined,
    told,
  };
}

/** The whole chat of a window, in its view. */
export function chatOf(
  window: Window,
  client: ApiClient,
  onDidSelect: Event<readonly unknown[]> = never,
  show: DetailsDocuments['show'] = () => assert.fail('a document is shown'),
  location: () => 'panel' | 'view' = () => 'view',
): Chat {
  const chat = new Chat({
    ...depsOf(window, client, show).deps,
    storage: window.storage,
    storageUri: { fsPath: temporaryFolder() } as unknown as vscode.Uri,
    location,
    extras: () => true,
    diffOf: () => assert.fail('a diff is asked for'),
    memory: { get: () => undefined, update: () => Promise.resolve() },
    onDidSelect,
  });
  afterwards(() => chat.dispose());
  return chat;
}
