import type { ComponentChildren } from 'preact';

/** Foreign text with the Markdown rationales use: lists, code, strong and emphasis. All else stays text (trust.md 4-6). */
export function Markdown({ text }: { readonly text: string }) {
  const blocks: { readonly kind: 'ol' | 'ul' | undefined; readonly lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const [, mark = '', item = line] = /^ *([-*+]|\d+[.)]) +(\S.*)$/.exec(line) ?? [];
    const kind = mark === '' ? undefined : /\d/.test(mark) ? 'ol' : 'ul';
    const last = blocks.at(-1);
    if (last !== undefined && last.kind === kind) last.lines.push(item);
    else blocks.push({ kind, lines: [item] });
  }
  return blocks.map(({ kind: List, lines }, at) =>
    List === undefined ? (
      <span key={at}>{inline(lines.join('\n'))}</span>
    ) : (
      <List key={at}>
        {lines.map((line, index) => (
          <li key={index}>{inline(line)}</li>
        ))}
      </List>
    ),
  );
}

function inline(text: string): ComponentChildren {
  // What is between the marks stands at the odd places.
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*|\*[^*\s][^*\n]*\*)/).map((part, at) => {
    if (at % 2 === 0) return part;
    if (part.startsWith('`')) return <code>{part.slice(1, -1)}</code>;
    return part.startsWith('**') ? <strong>{part.slice(2, -2)}</strong> : <em>{part.slice(1, -1)}</em>;
  });
}
