import * as vscode from 'vscode';

export type KeyProblem = 'empty' | 'space' | 'character' | 'long';

const LONGEST = 8_000;

/** A key as a person pasted it: white space around it is dropped; whatever a header cannot carry is refused. */
export function parseKey(text: string): { readonly ok: string } | { readonly problem: KeyProblem } {
  const key = text.trim();
  if (key === '') return { problem: 'empty' };
  if (/\s/.test(key)) return { problem: 'space' };
  if (!/^[\x21-\x7e]+$/.test(key)) return { problem: 'character' };
  return key.length > LONGEST ? { problem: 'long' } : { ok: key };
}

/** Says what is wrong without quoting any of it. */
export function keyProblemSentence(problem: KeyProblem): string {
  switch (problem) {
    case 'empty':
      return vscode.l10n.t(
        'Enter the key. An administrator makes it in the settings of the web application.',
      );
    case 'space':
      return vscode.l10n.t(
        'There is a space or a line break inside the key. Copy the key alone, without words before it.',
      );
    case 'character':
      return vscode.l10n.t('The key holds a character no key has. Copy it again from the web application.');
    case 'long':
      return vscode.l10n.t('This is too long to be a key. Copy the key alone.');
  }
}
