import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { Chat } from '../../../src/chat';
import { ChatPanel, type PanelDeps } from '../../../src/chat/panel/panel';
import type { PanelState, Start } from '../../../src/chat/protocol';
import { Emitter, ObservableValue } from '../../../src/util/lifecycle';
import type { DetailsDocuments } from '../../../src/util/detailsDocuments';
import type { Place } from '../../../src/webview/page';
import { silentLog } from '../../fakes/log';
import { Uri } from '../../fakes/vscode';
import type { Scene } from './scene';
import { later, memoryOf, temporaryFolder, until } from './support';

/** What a panel says to its page. */
interface ToPage {
  readonly kind: string;
  readonly id?: number;
  readonly name?: string;
  readonly payload?: unknown;
  /** Why it refuses what was asked. */
  readonly reason?: string;
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
  const [own, nothing] = [{ active, onDidChangeViewState: shown.event }, (): void => undefined];
  const place = {
    ...(kind === 'panel' ? own : { onDidChangeVisibility: shown.event }),
    ...{ visible: true, onDidDispose: never, webview, reveal: nothing, show: nothing },
  };
  /** As the person shows and hides it. */
  const show = (visible: boolean): void => {
    place.visible = visible;
    shown.fire();
  };
  return { place: place as unknown as Place, said, posted, heard, written, show };
}

/** What panels need of a window, and the state of its connection. */
function depsOf({ window, client }: Scene, show: DetailsDocuments['show']) {
  const service = { id: window.conversation.serviceId, host: 'localhost' };
  const state = new ObservableValue({ kind: 'signedIn', service });
  const becameReady = new Emitter<void>();
  const connection = {
    ...{ state, api: client, onDidBecomeReady: becameReady.event },
    ready: () => Promise.resolve(),
  } as unknown as PanelDeps['connection'];
  const log = silentLog();
  const deps: PanelDeps = {
    ...{ connection, sessions: window.sessions, log },
    extensionUri: Uri.file('/extension') as unknown as vscode.Uri,
    changes: { of: () => undefined, onDidChange: never },
    details: { show, compare: () => assert.fail('a document is shown') },
    composer: {
      ...{ sendKey: () => 'enter', onDidChange: never },
      limits: () => ({ file: 1024, message: 10_240 }),
    },
  };
  return { deps, log, state, becameReady };
}

/** The real panel of a conversation, and its page. */
export function panelOf(it: Scene, kind: 'panel' | 'view' = 'panel', title = 'Session') {
  const { place, said, posted, heard, written, show } = pageOf(kind);
  const shown: string[][] = [];
  const { deps, ...rest } = depsOf(it, (...about) =>
    Promise.resolve(void shown.push([about[0], about[1], about[2]()])),
  );
  let isLet = true;
  const lease = { dispose: () => (isLet = false) };
  const { conversation } = it.window;
  const panel = new ChatPanel(place, { ...deps, conversation, lease, title, reading: new Map() });
  later(() => panel.dispose());
  const begun = (): void => said.fire({ name: 'ready', params: {} });
  const sendId = 'an-id-of-a-send';
  /** What the page was told last under this name. */
  const told = (name: string): unknown => posted.findLast(message => message.name === name)?.payload;
  return {
    ...{ panel, said, posted, heard: heard.event, shown, written, show, begun, told, sendId, ...rest },
    /** Asks the panel, as its page does: resolves to the answer, rejects with the reason. */
    ask: async (name: string, params: object): Promise<void> => {
      begun();
      const id = posted.length + 1;
      said.fire({ id, name, params });
      const answer = (): ToPage | undefined => posted.find(message => message.id === id);
      await until(heard.event, () => answer() !== undefined);
      if (answer()?.reason !== undefined) throw new Error(answer()?.reason);
    },
    isLet: () => isLet,
    write: (text: string, seen: number, version: number) =>
      said.fire({ name: 'draft', params: { text, seen, version } }),
    send: (text: string) => said.fire({ id: 1, name: 'send', params: { text, seen: 0, sendId } }),
    draft: () => (told('setDraft') as { readonly text?: string } | undefined)?.text,
    start: () => told('start') as Start | undefined,
    shows: () => told('state') as PanelState | undefined,
  };
}

/** A panel whose page listens. */
export function begunOf(...about: Parameters<typeof panelOf>): ReturnType<typeof panelOf> {
  const panel = panelOf(...about);
  panel.begun();
  return panel;
}

/** The whole chat of a window, in its view. */
export function chatOf(
  it: Scene,
  options: Partial<ConstructorParameters<typeof Chat>[0]> = {},
  show: DetailsDocuments['show'] = () => assert.fail('a document is shown'),
): Chat {
  const chat = new Chat({
    ...depsOf(it, show).deps,
    storage: it.window.storage,
    storageUri: Uri.file(temporaryFolder()) as unknown as vscode.Uri,
    location: () => 'view',
    extras: () => true,
    diffOf: () => assert.fail('a diff is asked for'),
    memory: memoryOf(),
    onDidSelect: never,
    ...options,
  });
  later(() => chat.dispose());
  return chat;
}
