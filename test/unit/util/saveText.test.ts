import assert from 'node:assert/strict';
import { mayWriteFiles } from '../../../src/util/saveText';

describe('where files may be written', () => {
  const at = (isTrusted: boolean, ...schemes: string[]): boolean =>
    mayWriteFiles({ isTrusted, workspaceFolders: schemes.map(scheme => ({ uri: { scheme } })) });

  it('in a trusted window without a folder, or with one on this machine', () => {
    assert.equal(mayWriteFiles({ isTrusted: true, workspaceFolders: undefined }), true);
    assert.equal(at(true), true);
    assert.equal(at(true, 'file'), true);
    assert.equal(at(true, 'elsewhere', 'file'), true);
  });

  it('not in Restricted Mode, and not where all folders are elsewhere', () => {
    assert.equal(mayWriteFiles({ isTrusted: false, workspaceFolders: undefined }), false);
    assert.equal(at(false, 'file'), false);
    assert.equal(at(true, 'elsewhere'), false);
    assert.equal(at(true, 'elsewhere', 'vscode-vfs'), false);
  });
});
