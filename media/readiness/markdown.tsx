/** Foreign text with the Markdown rationales use: code, strong and emphasis. All else stays text (trust.md 4-6). */
export function Markdown({ text }: { readonly text: string }) {
  // What is between the marks stands at the odd places.
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*|\*[^*\s][^*\n]*\*)/).map((part, at) => {
    if (at % 2 === 0) return part;
    if (part.startsWith('`')) return <code>{part.slice(1, -1)}</code>;
    return part.startsWith('**') ? <strong>{part.slice(2, -2)}</strong> : <em>{part.slice(1, -1)}</em>;
  });
}
