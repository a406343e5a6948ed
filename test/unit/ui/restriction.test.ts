import assert from 'node:assert/strict';
import { restriction } from '../../../src/ui/restriction';

describe('what a window may do', () => {
  const of = (isTrusted: boolean, ...schemes: string[]): unknown =>
    restriction({ isTrusted, workspaceFolders: schemes.map(scheme => ({ uri: { scheme } })) });

  it('is all in a trusted window without a folder, or with one on this machine', () => {
    assert.equal(restriction({ isTrusted: true, workspaceFolders: undefined }), undefined);
    assert.equal(of(true), undefined, 'no folder at all');
    assert.equal(of(true, 'file'), undefined);
    assert.equal(of(true, 'vscode-vfs', 'file'), undefined);
  });

  it('starts and writes nothing in Restricted Mode, and where all folders lie on no machine', () => {
    assert.equal(restriction({ isTrusted: false, workspaceFolders: undefined }), 'untrusted');
    assert.equal(of(false, 'file'), 'untrusted');
    assert.equal(of(false), 'untrusted');
    assert.equal(of(false, 'vscode-vfs'), 'untrusted');
    assert.equal(of(true, 'vscode-vfs'), 'virtual');
    assert.equal(of(true, 'vscode-vfs', 'memfs'), 'virtual');
  });
});
