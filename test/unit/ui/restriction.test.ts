import assert from 'node:assert/strict';
import { restriction } from '../../../src/ui/restriction';

describe('what a window may do', () => {
  for (const [what, isTrusted, folders, expected] of [
    ['all without a folder', true, [undefined, ''], undefined],
    ['all with a folder on this machine', true, ['file', 'vscode-vfs file'], undefined],
    ['nothing in Restricted Mode', false, [undefined, '', 'file', 'vscode-vfs'], 'untrusted'],
    ['nothing where all folders lie on no machine', true, ['vscode-vfs', 'vscode-vfs memfs'], 'virtual'],
  ] as const)
    it(`is ${what}`, () => {
      for (const schemes of folders) {
        const found = schemes?.split(' ').filter(scheme => scheme !== '');
        const workspaceFolders = found?.map(scheme => ({ uri: { scheme } }));
        assert.equal(restriction({ isTrusted, workspaceFolders }), expected, schemes);
      }
    });
});
