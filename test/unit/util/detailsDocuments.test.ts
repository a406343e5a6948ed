import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { DetailsDocuments } from '../../../src/util/detailsDocuments';
import { cleanUp, later } from '../../fakes/cleanUp';

describe('read-only documents', () => {
  afterEach(cleanUp);

  it('have two sides where they are compared, however long their address', async () => {
    const workspace = vscode.workspace as unknown as Record<string, unknown>;
    const before = { ...workspace };
    later(() => Object.assign(workspace, before));
    const nothing = { dispose: () => undefined };
    let provider: vscode.TextDocumentContentProvider | undefined;
    workspace['onDidCloseTextDocument'] = () => nothing;
    workspace['registerTextDocumentContentProvider'] = (_: string, given: typeof provider) => {
      provider = given;
      return nothing;
    };
    const documents = new DetailsDocuments();
    const id = 'long'.repeat(100);
    const right = await documents.compare({ id, name: 'a', title: '', before: '', after: 'new' });
    const left = vscode.Uri.from({ scheme: 'x', path: right.path.replace('/after ', '/before ') });
    const token = {} as vscode.CancellationToken;
    const texts = [left, right].map(uri => provider?.provideTextDocumentContent(uri, token));
    assert.deepEqual(texts, ['', 'new']);
  });
});
