import * as vscode from 'vscode';

/**
 * Opens a web or mail address as it is written. VS Code decodes a `Uri` and encodes it anew, which makes another address of some
 * (`%23` becomes `%2523`, `%2F` a slash); the command `vscode.open` takes a web address as text, and asks a person as well
 * before it opens a site that is not trusted. Where both say the same, `openExternal` also reaches a port of a remote machine.
 */
export async function openAddress(address: string): Promise<void> {
  const uri = vscode.Uri.parse(address, true);
  const changes = encodeURI(uri.toString(true)) !== address && /^https?:/i.test(address);
  if (changes) await vscode.commands.executeCommand('vscode.open', address);
  else await vscode.env.openExternal(uri);
}
