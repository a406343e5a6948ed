import { lexer, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';

/** Foreign Markdown as nodes: HTML is text, and no link leads anywhere (trust.md 4-6). */
export function Markdown({ text }: { readonly text: string }) {
  return <>{nodes(lexer(text))}</>;
}

function nodes(tokens: readonly Token[] = []): ComponentChildren {
  return tokens.map(node);
}

function node(token: Token): ComponentChildren {
  const { tokens, text = '' } = token as Tokens.Generic;
  const inner = (): ComponentChildren => (tokens === undefined ? String(text) : nodes(tokens));
  switch (token.type) {
    case 'paragraph':
      return <p>{inner()}</p>;
    case 'list': {
      const { ordered, items } = token as Tokens.List;
      const rows = items.map(item => <li>{nodes(item.tokens)}</li>);
      return ordered ? <ol>{rows}</ol> : <ul>{rows}</ul>;
    }
    case 'code':
      return <pre>{inner()}</pre>;
    case 'codespan':
      return <code>{inner()}</code>;
    case 'heading':
    case 'strong':
      return <strong>{inner()}</strong>;
    case 'em':
      return <em>{inner()}</em>;
    case 'text':
    case 'escape':
      return inner();
    case 'space':
      return null;
    case 'br':
      return <br />;
    default:
      return token.raw;
  }
}
