import * as vscode from 'vscode';

/**
 * Opens a text as a document that has no file yet: where the workspace is not trusted, nothing is written outside of our own
 * storage (trust.md 39).
 */
export async function openUnsaved(content: string, language: 'json' | 'plaintext'): Promise<void> {
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language, content }));
}
