import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { DetailsDocuments } from '../../../src/util/detailsDocuments';
import type { FaultServer } from '../../fakes/faultServer';
import {
  addressesOf,
  answerLists,
  apiOf,
  cleanUp,
  faultServer,
  later,
  open,
  temporaryFolder,
  type Window,
} from './support';

const revision = (number: number, maxAutonomyLevel: string): object => ({
  revision: number,
  settings: { maxAutonomyLevel },
});
const changes = [revision(4, 'low'), revision(2, 'high')];
const GONE = /^This document is not kept across a reload\./;

describe('documents of revisions', () => {
  const workspace = vscode.workspace as unknown as Record<string, unknown>;
  let provider: vscode.TextDocumentContentProvider;
  beforeEach(() => {
    const before = { ...workspace };
    later(() => Object.assign(workspace, before));
    workspace['onDidCloseTextDocument'] = () => ({ dispose: () => undefined });
    workspace['registerTextDocumentContentProvider'] = (_: string, given: typeof provider) => {
      provider = given;
      return { dispose: () => undefined };
    };
  });
  afterEach(cleanUp);

  /** A window on what is kept at `root`, with the addresses that it opens. */
  const openAt = (server: FaultServer, root: string) => {
    const documents = new DetailsDocuments(path => window.feature.documentText(path));
    const addresses: string[] = [];
    const compare: DetailsDocuments['compare'] = async comparison => {
      const right = await documents.compare(comparison);
      addresses.push(right.path.replace('/after ', '/before '), right.path);
      return right;
    };
    const window: Window = open(server, root, { compare, show: () => Promise.resolve() });
    return { ...window, addresses, compare };
  };
  const textsOf = async (addresses: readonly string[]): Promise<string[]> => {
    const texts = [];
    for (const path of addresses) {
      const uri = vscode.Uri.from({ scheme: 'x', path });
      texts.push(String(await provider.provideTextDocumentContent(uri, {} as vscode.CancellationToken)));
    }
    return texts;
  };

  it('are there again for editors that outlive a reload, and never those of another service', async () => {
    const [server, another] = [await faultServer(), await faultServer()];
    server.answer(hit => answerLists({ users: [], changes }, hit));
    const root = temporaryFolder();
    const first = openAt(server, root);
    await first.feature.refresh();
    for (const number of [2, 4]) await first.feature.commands.openChanges({ revision: number });
    const { addresses } = first;
    const texts = await textsOf(addresses);
    const found = texts.map(text => /high|low/.exec(text)?.[0] ?? text);
    assert.deepEqual(found, ['{}\n', 'high', 'high', 'low']);
    await first.close();

    const second = openAt(server, root);
    assert.deepEqual(await textsOf(addresses), texts);
    const unknown = ['/a computer/name.md', addresses[3]!.replace(' 4/', ' 5/')];
    for (const text of await textsOf(unknown)) assert.match(text, GONE);
    await second.close();

    openAt(another, root).connection.go(apiOf(another), addressesOf(another), 'another');
    for (const text of await textsOf(addresses)) assert.match(text, GONE);
  });

  it('have two sides, however long their address', async () => {
    const window = openAt(await faultServer(), temporaryFolder());
    await window.compare({ id: 'long'.repeat(100), name: 'a', title: '', before: '', after: 'new' });
    assert.deepEqual(await textsOf(window.addresses), ['', 'new']);
  });
});
