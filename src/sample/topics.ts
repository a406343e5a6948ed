import { parseScripts, type Line } from './script';
import scripts from './topics.txt';

const topics = parseScripts(scripts);

const WORDS: readonly (readonly [topic: string, words: RegExp])[] = [
  ['consent', /^\s*(yes|ok|okay|sure|go ahead|please do|push|approved?)\b/i],
  ['tests', /\b(tests?|flaky|coverage|spec)\b/i],
  ['review', /\b(review|diff|pull request|critique)\b/i],
  ['writing', /\b(readme|docs?|document|write|notes|changelog)\b/i],
  ['repair', /\b(fix|bug|errors?|crash|broken|fails?|failing)\b/i],
  ['migration', /\b(migrate|migration|upgrade|update|move|rename)\b/i],
  ['explanation', /\b(explain|why|how|what|describe)\b/i],
];

/**
 * How the sample agent goes about a request, in the small shop of the sample workspace: a topic of its words, and without a known
 * word topics in turn. `attachments` is a section about what was sent, or empty.
 */
export function topicOf(request: string, turn: number, attachments: string): readonly Line[] {
  const known = WORDS.find(([, words]) => words.test(request))?.[0];
  const [exchange] = topics.get(known ?? (turn % 3 === 2 ? 'explanation' : 'anything')) ?? [];
  const word = longestWord(request);
  return (exchange?.lines ?? []).map(line =>
    line.kind === 'use'
      ? { ...line, input: mapped(line.input, text => text.replace('{word}', () => word)) }
      : { ...line, text: line.text.replace(/\n*\{attachments\}/, () => attachments && `\n\n${attachments}`) },
  );
}

function mapped(
  input: Readonly<Record<string, unknown>>,
  change: (text: string) => string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, change(String(value))]));
}

function longestWord(request: string): string {
  const words = request.slice(0, 500).match(/[\p{L}\p{N}_-]{3,40}/gu) ?? [];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), 'main');
}
