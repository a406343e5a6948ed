import type { LanguageFn } from 'highlight.js';

/** Style sheets by their form alone: the library's own grammar brings every property by name, 13 KB of them. */
export const css: LanguageFn = ({ C_BLOCK_COMMENT_MODE, APOS_STRING_MODE, QUOTE_STRING_MODE }) => ({
  name: 'CSS',
  case_insensitive: true,
  contains: [
    C_BLOCK_COMMENT_MODE,
    APOS_STRING_MODE,
    QUOTE_STRING_MODE,
    { scope: 'keyword', match: /@[a-z-]{1,40}|!important/ },
    { scope: 'attribute', match: /(?<=[{;]\s{0,200})[\w-]{1,60}(?=\s{0,20}:)/ },
    {
      scope: 'number',
      match: /#[\da-f]{3,8}\b(?=[^{}]{0,200}[;}])|[+-]?\b\d{1,20}(?:\.\d{1,20})?(?:%|[a-z]{1,6}\b)?/,
    },
    { scope: 'selector-class', match: /\.[a-z_][\w-]{0,80}/ },
    { scope: 'selector-id', match: /#[a-z_][\w-]{0,80}/ },
    { scope: 'selector-pseudo', match: /::?[a-z-]{1,40}(?=[^;{}]{0,300}\{)/ },
    { scope: 'built_in', match: /\b[a-z-]{1,40}(?=\()/ },
  ],
});
