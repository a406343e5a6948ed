import assert from 'node:assert/strict';
import * as path from 'node:path';
import * as vscode from 'vscode';

describe('activation', () => {
  it('finds the extension, activates it, and loads one file for that', async () => {
    const extension = vscode.extensions.getExtension('agent-console.agent-console');
    assert.ok(extension, 'the extension is not there');
    await extension.activate();
    assert.equal(extension.isActive, true);
    const dist = path.join(extension.extensionPath, 'dist');
    const loaded = Object.keys(require.cache).filter(file => file.startsWith(dist));
    assert.deepEqual(loaded, [path.join(dist, 'extension.js')]);
  });
});
