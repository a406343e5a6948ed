import * as l10n from '@vscode/l10n';
import { PATH } from '../../../src/chat/protocol';

/** Makes names of files with a line open that file; what they open is decided by the panel. */
export function dressPaths(root: DocumentFragment | Element): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode() !== null) {
    const text = walker.currentNode as Text;
    if (text.data.includes(':') && !text.parentElement?.closest('a')) texts.push(text);
  }
  for (const text of texts) {
    const pieces: (string | HTMLElement)[] = [];
    let from = 0;
    for (const found of text.data.matchAll(PATH)) {
      const link = document.createElement('span');
      link.className = 'path';
      link.role = 'link';
      link.tabIndex = 0;
      link.title = l10n.t('Open this file');
      link.textContent = found[0];
      pieces.push(text.data.slice(from, found.index), link);
      from = found.index + found[0].length;
    }
    if (from > 0) text.replaceWith(...pieces, text.data.slice(from));
  }
}
