import { seeded } from './random';
import type { Step } from './records';
import { parseScripts, stepsOf } from './script';
import scripts from './topics.txt';

interface AgentRequest {
  readonly text: string;
  /** Their names. */
  readonly attachments: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  /** Messages the person sent before this one. */
  readonly turn: number;
}

/** How the sample agent goes about a request, in the small shop of the sample workspace; the last topic is for all others. */
const topics = parseScripts(scripts);
const WORDS: Readonly<Record<string, RegExp>> = {
  consent: /^\s*(yes|ok|okay|sure|go ahead|please do|push|approved?)\b/i,
  tests: /\b(tests?|flaky|coverage|spec)\b/i,
};

/**
 * What the agent will do about a message, from `start` on (Unix ms): commentary, reasoning, tool calls with their results and
 * the final answer, over 6 to 10 seconds times `pace`. The same request gives the same answer.
 */
export function plan(request: AgentRequest, start: number, pace: number): Step[] {
  const { text, turn, attachments, settings } = request;
  const topic = topics.find(({ title }) => WORDS[title]?.test(text)) ?? topics.at(-1);
  const names = attachments.map(name => `\`${name.replace(/[`\r\n]/g, "'")}\``).join(', ');
  const lines = (topic?.exchanges[0]?.lines ?? []).map(line =>
    line.kind === 'note' && names !== '' ? { ...line, text: `I have read ${names}. ${line.text}` } : line,
  );
  const random = seeded('agent', text, turn, ...attachments);
  return stepsOf(lines, { start, pace, random, title: titleOf(text), model: settings['model'] });
}

/** The first line of a request, short enough for a list. */
function titleOf(text: string): string | undefined {
  const [line = ''] = text.trim().split(/\r?\n/, 1);
  return Array.from(line.trim()).slice(0, 60).join('') || undefined;
}
