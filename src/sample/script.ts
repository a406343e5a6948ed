import { type Random } from './random';
import { type ContentItem, type MessageDraft, type Step, type TokenUsage } from './records';

/** One thing an agent says or does. An `answer` or an `error` ends its turn. */
export type Line =
  | { readonly kind: 'note' | 'think' | 'answer' | 'error'; readonly text: string }
  | {
      readonly kind: 'use';
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly result: string;
      readonly failed: boolean;
    };

/** What a person asks and what the agent does about it. */
export interface Exchange {
  readonly ask: string;
  /** Name of the picture sent along. */
  readonly picture: string | undefined;
  readonly lines: readonly Line[];
}

/**
 * Reads scripts by their titles. `== title` begins one; `@ask text` and `@picture name` begin an exchange, what may come before is
 * the agent's alone. Then come `@note text`, `@think text`, `@read path`, `@edit path`, `@grep pattern in path`, `@run command`,
 * `@fail command`, `@use Tool {input}` with the result in the lines below, and `@answer` or `@error`.
 */
export function parseScripts(source: string): ReadonlyMap<string, readonly Exchange[]> {
  return new Map(
    source.split(/^== /m).flatMap(script => {
      const [title = '', rest = ''] = script.split(/\n([^]*)/, 2);
      return title === '' ? [] : [[title, exchangesOf(rest)] as const];
    }),
  );
}

function exchangesOf(script: string): readonly Exchange[] {
  const exchanges: { ask: string; picture: string | undefined; lines: Line[] }[] = [];
  for (const part of script.split(/^@(?=\w)/m).filter(text => text.trim() !== '')) {
    const [, word = '', head = '', below = ''] = /^(\w+) ?(.*)\n?([^]*)$/.exec(part) ?? [];
    const exchange = exchanges.at(-1);
    if (word === 'ask') exchanges.push({ ask: head, picture: undefined, lines: [] });
    else if (exchange === undefined)
      exchanges.push({ ask: '', picture: undefined, lines: [lineOf(word, head, below)] });
    else if (word === 'picture') exchange.picture = head;
    else exchange.lines.push(lineOf(word, head, below));
  }
  return exchanges;
}

function lineOf(word: string, head: string, below: string): Line {
  const result = below.trimEnd();
  const used = (name: string, input: Readonly<Record<string, unknown>>, failed = false): Line => ({
    kind: 'use',
    name,
    input,
    result,
    failed,
  });
  switch (word) {
    case 'note':
    case 'think':
    case 'error':
      return { kind: word, text: head };
    case 'answer':
      return { kind: 'answer', text: result };
    case 'read':
      return used('Read', { path: head });
    case 'edit':
      return used('Edit', { path: head });
    case 'run':
    case 'fail':
      return used('Execute', { command: head }, word === 'fail');
    case 'grep': {
      const [pattern, path] = head.split(/ in (?!.* in )/);
      return used('Grep', { pattern, path });
    }
    case 'use': {
      const [, name = '', input = ''] = /^(\w+) (.*)$/.exec(head) ?? [];
      return used(name, JSON.parse(input) as Readonly<Record<string, unknown>>);
    }
    default:
      throw new Error(`A script has no line "@${word}".`);
  }
}

export interface Turn {
  /** When it begins, Unix ms. */
  readonly start: number;
  /** A multiple of the natural pace, at which a call and its result take 1.7 s. */
  readonly pace: number;
  /** Of a session that has none yet. */
  readonly title?: string | undefined;
  /** Models differ in how they tell their reasoning. */
  readonly model?: unknown;
  readonly random: Random;
}

/** A turn of the agent, line by line; some 15 % faster or slower each. */
export function stepsOf(lines: readonly Line[], { start, pace, title, model, random }: Turn): Step[] {
  const steps: Step[] = [];
  let at = start;
  const add = (ms: number, step: Omit<Step, 'at'>): void => {
    at += Math.round(ms * (0.85 + random.next() * 0.3) * pace);
    steps.push({ at, ...step });
  };
  const item = (text: string): ContentItem => ({ type: 'text', text, id: `item_${random.hex(12)}` });
  const spoken = (text: string, phase: string): MessageDraft => ({
    role: 'assistant',
    content: [item(text)],
    providerAMessageId: `msg_${random.hex(16)}`,
    providerAPhase: phase,
  });
  add(600, { kind: 'begin', ...(title === undefined ? {} : { title }) });
  for (const line of lines) {
    switch (line.kind) {
      case 'note':
        add(1100, { kind: 'say', message: spoken(line.text, 'commentary'), usage: usage(random, 900, 120) });
        break;
      case 'think': {
        const message = reasoning(line.text, model, random);
        add(900, { kind: 'say', message, usage: usage(random, 200, 260, 240) });
        break;
      }
      case 'use': {
        const id = `call_${random.hex(16)}`;
        const call = { type: 'tool_use', id, name: line.name, input: line.input };
        add(700, {
          kind: 'say',
          message: { role: 'assistant', content: [call] },
          usage: usage(random, 1200, 80),
        });
        const result = { type: 'tool_result', id: `result_${random.hex(16)}`, toolUseId: id };
        const content = [{ ...result, content: line.result, isError: line.failed }];
        add(1000, {
          kind: 'say',
          message: { role: 'tool', content, ...(line.failed ? { isError: true } : {}) },
        });
        break;
      }
      case 'answer':
      case 'error': {
        const message: MessageDraft =
          line.kind === 'answer'
            ? spoken(line.text, 'final_answer')
            : { role: 'assistant', content: [item(line.text)], isError: true };
        add(1700, { kind: 'end', message, usage: usage(random, 2400, 640) });
      }
    }
  }
  return steps;
}

/** Some models tell a summary, others their reasoning as it is. */
function reasoning(text: string, model: unknown, random: Random): MessageDraft {
  const told =
    typeof model === 'string' && model.startsWith('onyx')
      ? { chatCompletionReasoningField: 'reasoning_content', chatCompletionReasoningContent: text }
      : {
          providerAReasoningId: `rs_${random.hex(16)}`,
          providerAReasoningSummary: text,
          providerAEncryptedContent: Buffer.from(random.hex(48)).toString('base64'),
        };
  return { role: 'assistant', content: [], ...told };
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
