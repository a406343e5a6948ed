import { seeded, type Random } from './random';
import topicTexts from './topics.txt';

/** `text` items carry text; the other types are those people see in practice (interface 2.9). */
export interface ContentItem {
  readonly type: string;
  readonly id: string;
  readonly [field: string]: unknown;
}

/** What the author of a message decides; the chain and the times come with its place in the session. */
export interface MessageDraft {
  readonly role: 'user' | 'assistant' | 'tool' | 'system';
  readonly content: readonly ContentItem[];
  readonly [field: string]: unknown;
}

export type TokenUsage = Readonly<
  Record<
    'inputTokens' | 'outputTokens' | 'cacheCreationTokens' | 'cacheReadTokens' | 'thinkingTokens',
    number
  >
>;

/** Something the agent will have done at a time, Unix ms. */
export interface Step {
  readonly at: number;
  readonly kind: 'begin' | 'say' | 'end';
  readonly title?: string;
  readonly message?: MessageDraft;
  readonly usage?: TokenUsage;
}

/** One thing an agent says or does. An `answer` or an `error` ends its turn. */
type Line =
  | { readonly kind: 'note' | 'think' | 'answer' | 'error'; readonly text: string }
  | {
      readonly kind: 'use';
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly result: string;
      readonly failed: boolean;
    };

export interface Exchange {
  readonly ask: string;
  picture?: string;
  readonly lines: Line[];
}

/**
 * Reads talks. `== title` begins one, and `@about` may tell something in JSON; `@ask text` and `@picture name` begin an exchange, what may come before is
 * the agent's alone. Then come `@note text`, `@think text`, `@read path`, `@edit path`, `@grep pattern in path`, `@run command`,
 * `@fail command`, `@use Tool {input}` with the result in the lines below, and `@answer` or `@error`.
 */
export function parseScripts(source: string) {
  return source
    .split(/^== /m)
    .slice(1)
    .map(script => {
      const [title = '', rest = ''] = script.split(/\n([^]*)/, 2);
      const exchanges: Exchange[] = [];
      let about: unknown;
      for (const part of rest.split(/^@(?=\w)/m).filter(text => text.trim() !== '')) {
        const [, word = '', head = '', below = ''] = /^(\w+) ?(.*)\n?([^]*)$/.exec(part) ?? [];
        const exchange = exchanges.at(-1) ?? { ask: '', lines: [] };
        if (word === 'about') about = JSON.parse(head);
        else if (word === 'ask') exchanges.push({ ask: head, lines: [] });
        else if (word === 'picture') exchange.picture = head;
        else exchange.lines.push(lineOf(word, head, below.trimEnd()));
        if (exchanges.length === 0 && exchange.lines.length > 0) exchanges.push(exchange);
      }
      return { title, about, exchanges };
    });
}

function lineOf(word: string, head: string, result: string): Line {
  if (word === 'note' || word === 'think' || word === 'error') return { kind: word, text: head };
  if (word === 'answer') return { kind: 'answer', text: result };
  const use = (name: string, input: Readonly<Record<string, unknown>>): Line => {
    return { kind: 'use', name, input, result, failed: word === 'fail' };
  };
  if (word === 'read') return use('Read', { path: head });
  if (word === 'edit') return use('Edit', { path: head });
  if (word === 'run' || word === 'fail') return use('Execute', { command: head });
  const [pattern, path] = head.split(/ in (?!.* in )/);
  if (word === 'grep') return use('Grep', { pattern, path });
  const [, tool = '', input = ''] = /^(\w+) (\{.*\})$/.exec(head) ?? [];
  return use(tool, JSON.parse(input) as Readonly<Record<string, unknown>>);
}

interface Turn {
  readonly start: number;
  /** A multiple of the natural pace, at which a call and its result take 1.7 s. */
  readonly pace: number;
  /** Of a session that has none yet. */
  readonly title?: string | undefined;
  /** Models differ in how they tell their reasoning. */
  readonly model?: unknown;
  readonly random: Random;
}

/** A turn of the agent, line by line; some 15% faster or slower each. */
export function stepsOf(lines: readonly Line[], { start, pace, title, model, random }: Turn): Step[] {
  const steps: Step[] = [];
  let at = start;
  const add = (ms: number, step: Omit<Step, 'at'>): void => {
    at += Math.round(ms * (0.85 + random.next() * 0.3) * pace);
    steps.push({ at, ...step });
  };
  const item = (text: string): ContentItem => ({ type: 'text', text, id: `item_${random.hex(12)}` });
  const spoken = (text: string, providerAPhase: string): MessageDraft => {
    const providerAMessageId = `msg_${random.hex(16)}`;
    return { role: 'assistant', content: [item(text)], providerAMessageId, providerAPhase };
  };
  add(600, { kind: 'begin', ...(title === undefined ? {} : { title }) });
  for (const line of lines)
    if (line.kind === 'note') {
      const message = spoken(line.text, 'commentary');
      add(1100, { kind: 'say', message, usage: usage(random, 900, 120) });
    } else if (line.kind === 'think') {
      const message = reasoning(line.text, model, random);
      add(900, { kind: 'say', message, usage: usage(random, 200, 260, 240) });
    } else if (line.kind === 'use') {
      const { name, input, result, failed: isError } = line;
      const id = `call_${random.hex(16)}`;
      const call: MessageDraft = { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] };
      add(700, { kind: 'say', message: call, usage: usage(random, 1200, 80) });
      const answer = { type: 'tool_result', id: `result_${random.hex(16)}`, toolUseId: id };
      const content = [{ ...answer, content: result, isError }];
      add(1000, { kind: 'say', message: { role: 'tool', content, ...(isError && { isError }) } });
    } else {
      const failed: MessageDraft = { role: 'assistant', content: [item(line.text)], isError: true };
      const message = line.kind === 'error' ? failed : spoken(line.text, 'final_answer');
      add(1700, { kind: 'end', message, usage: usage(random, 2400, 640) });
    }
  return steps;
}

/** Some models tell a summary, others their reasoning as it is. */
function reasoning(text: string, model: unknown, random: Random): MessageDraft {
  const fields =
    typeof model === 'string' && model.startsWith('onyx')
      ? { chatCompletionReasoningField: 'reasoning_content', chatCompletionReasoningContent: text }
      : {
          providerAReasoningId: `rs_${random.hex(16)}`,
          providerAReasoningSummary: text,
          providerAEncryptedContent: Buffer.from(random.hex(48)).toString('base64'),
        };
  return { role: 'assistant', content: [], ...fields };
}

function usage(random: Random, input: number, output: number, thinking = 0): TokenUsage {
  const inputTokens = random.int(input, input * 3);
  return {
    inputTokens,
    outputTokens: random.int(output, output * 2),
    cacheCreationTokens: Math.round(inputTokens * 0.2),
    cacheReadTokens: Math.round(inputTokens * 0.6),
    thinkingTokens: thinking === 0 ? 0 : random.int(thinking, thinking * 2),
  };
}

interface AgentRequest {
  readonly text: string;
  /** Their names. */
  readonly attachments: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  /** Messages the person sent before this one. */
  readonly turn: number;
}

/** How the sample agent goes about a request, in the small shop of the sample workspace; the last topic is for all others. */
const topics = parseScripts(topicTexts);
const WORDS: Readonly<Record<string, RegExp>> = {
  consent: /^\s*(yes|ok|okay|sure|go ahead|please do|push|approved?)\b/i,
  tests: /\b(tests?|flaky|coverage|spec)\b/i,
};

/**
 * What the agent will do about a message, from `start` on (Unix ms): commentary, reasoning, tool calls with their results and
 * the final answer, over 6 to 10 seconds times `pace`. The same request gives the same answer.
 */
export function plan(
  { text, turn, attachments, settings }: AgentRequest,
  start: number,
  pace: number,
): Step[] {
  const topic = topics.find(({ title }) => WORDS[title]?.test(text)) ?? topics.at(-1);
  const names = attachments.map(name => `\`${name.replace(/[`\r\n]/g, "'")}\``).join(', ');
  const lines = (topic?.exchanges[0]?.lines ?? []).map(line =>
    line.kind === 'note' && names !== '' ? { ...line, text: `I have read ${names}. ${line.text}` } : line,
  );
  const random = seeded('agent', text, turn, ...attachments);
  // The first line, short enough for a list.
  const [line = ''] = text.trim().split(/\r?\n/, 1);
  const title = Array.from(line.trim()).slice(0, 60).join('') || undefined;
  return stepsOf(lines, { start, pace, random, title, model: settings['model'] });
}
