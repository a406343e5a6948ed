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
    workspace['onDidCloseTextDocument'] = () => ({ dispose: () => undefined });
    const documents = new DetailsDocuments({ fire: () => undefined });
    const id = 'long'.repeat(100);
    const right = await documents.compare({ id, name: 'a', title: '', before: '', after: 'new' });
    const left = vscode.Uri.from({ scheme: 'x', path: right.path.replace('/after ', '/before ') });
    const texts = [left, right].map(uri => documents.text(uri));
    assert.deepEqual(texts, ['', 'new']);
  });
});
