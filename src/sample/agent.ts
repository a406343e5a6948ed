import { type ContentItem, type MessageDraft, type Step, type TokenUsage } from './records';
import { seeded, type Random } from './random';
import { topicOf, type Topic } from './topics';

/** Something sent along with a message. */
export interface Attachment {
  readonly kind: 'image' | 'file';
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** The content of a text file, if it is short enough to read. */
  readonly text?: string;
}

export interface AgentRequest {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly settings: Readonly<Record<string, unknown>>;
  /** Messages the person sent before this one. */
  readonly turn: number;
}

/**
 * What the agent will do about a message, from `start` on (Unix ms): commentary, reasoning, tool calls with their results and
 * the final answer, over 6 to 10 seconds times `pace`. The same request gives the same answer.
 */
export function plan(request: AgentRequest, start: number, pace: number): Step[] {
  const random = seeded('agent', request.text, request.turn, ...request.attachments.map(item => item.name));
  const topic = topicOf(request.text, request.turn);
  const steps: Step[] = [];
  let at = start;
  const add = (ms: number, step: Omit<Step, 'at'>): void => {
    at += Math.round(ms * (0.85 + random.next() * 0.3) * pace);
    steps.push({ at, ...step });
  };
  const title = titleOf(request.text);
  add(600, title === undefined ? { kind: 'begin' } : { kind: 'begin', title });
  add(1100, say(commentary(topic, request, random), usage(random, 900, 120)));
  add(900, say(reasoning(topic, request, random), usage(random, 200, 260, 240)));
  for (const [call, result] of toolWork(topic, request, random)) {
    add(700, say(call, usage(random, 1200, 80)));
    add(1000, say(result));
  }
  add(1700, {
    kind: 'end',
    message: {
      role: 'assistant',
      content: [textItem(topic.answer(describe(request)), random)],
      providerAMessageId: `msg_${random.hex(16)}`,
      providerAPhase: 'final_answer',
    },
    usage: usage(random, 2400, 640),
  });
  return steps;
}

function say(message: MessageDraft, tokens?: TokenUsage): Omit<Step, 'at'> {
  return { kind: 'say', message, ...(tokens === undefined ? {} : { usage: tokens }) };
}

function commentary(topic: Topic, request: AgentRequest, random: Random): MessageDraft {
  const first = request.attachments[0];
  const files =
    first === undefined
      ? ''
      : ` I begin with ${code(first.name)}${request.attachments.length > 1 ? ' and the other attachments' : ''}.`;
  return {
    role: 'assistant',
    content: [textItem(`${topic.opening}${files}`, random)],
    providerAMessageId: `msg_${random.hex(16)}`,
    providerAPhase: 'commentary',
  };
}

/** Some models tell a summary, others their reasoning as it is. */
function reasoning(topic: Topic, request: AgentRequest, random: Random): MessageDraft {
  const model = request.settings.model;
  if (typeof model === 'string' && model.startsWith('onyx')) {
    return {
      role: 'assistant',
      content: [],
      chatCompletionReasoningField: 'reasoning_content',
      chatCompletionReasoningContent: topic.reasoning,
    };
  }
  return {
    role: 'assistant',
    content: [],
    providerAReasoningId: `rs_${random.hex(16)}`,
    providerAReasoningSummary: topic.reasoning,
    providerAEncryptedContent: Buffer.from(random.hex(48)).toString('base64'),
  };
}

function toolWork(topic: Topic, request: AgentRequest, random: Random): [MessageDraft, MessageDraft][] {
  const reads = request.attachments.slice(0, 2).map(item => ({
    name: item.kind === 'image' ? 'ViewImage' : 'Read',
    input: { path: item.name },
    result: item.text === undefined ? `${item.mediaType}, ${size(item.bytes)}` : excerpt(item.text, 12),
    failed: false,
  }));
  return [...reads, ...topic.tools(request.text)].slice(0, 3).map(tool => {
    const id = `call_${random.hex(16)}`;
    return [
      { role: 'assistant', content: [{ type: 'tool_use', id, name: tool.name, input: tool.input }] },
      {
        role: 'tool',
        content: [
          {
            type: 'tool_result',
            id: `result_${random.hex(16)}`,
            toolUseId: id,
            content: tool.result,
            isError: tool.failed,
          },
        ],
        ...(tool.failed ? { isError: true } : {}),
      },
    ];
  });
}

/** What is known of the attachments, as Markdown; empty without any. */
function describe({ attachments }: AgentRequest): string {
  if (attachments.length === 0) return '';
  const rows = attachments.map(item => {
    const content =
      item.text === undefined
        ? item.kind === 'image'
          ? 'an image'
          : 'not read as text'
        : contents(item.text);
    return `| ${code(item.name)} | ${item.mediaType} | ${size(item.bytes)} | ${content} |`;
  });
  const read = attachments.find(item => item.text !== undefined && item.text.trim() !== '');
  const lines = [
    '### What you sent',
    '',
    '| name | type | size | what I saw |',
    '| --- | --- | ---: | --- |',
    ...rows,
  ];
  if (read?.text !== undefined) {
    lines.push(
      '',
      `${code(read.name)} begins like this:`,
      '',
      fenced(excerpt(read.text, 8), extension(read.name)),
    );
  }
  return lines.join('\n');
}

function contents(text: string): string {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const notes = text.match(/\b(?:TODO|FIXME)\b/g)?.length ?? 0;
  const found = notes === 0 ? '' : `, ${notes} open ${notes === 1 ? 'note' : 'notes'}`;
  return `${lines} ${lines === 1 ? 'line' : 'lines'}${found}`;
}

/** The first line of a request, short enough for a list. */
function titleOf(text: string): string | undefined {
  const line = text.trim().split(/\r?\n/, 1)[0]?.replace(/\s+/g, ' ').trim() ?? '';
  if (line === '') return undefined;
  const characters = Array.from(line);
  return characters.length > 60 ? `${characters.slice(0, 59).join('')}…` : line;
}

function textItem(text: string, random: Random): ContentItem {
  return { type: 'text', text, id: `item_${random.hex(12)}` };
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

/** A name as a code span; what would end the span or the table cell is taken out. */
function code(name: string): string {
  return `\`${name.replace(/[`|\r\n]/g, "'")}\``;
}

/** A code block no content can end early. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(run => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function excerpt(text: string, lines: number): string {
  return text
    .split(/\r?\n/, lines)
    .map(line => (line.length > 160 ? `${line.slice(0, 159)}…` : line))
    .join('\n')
    .trimEnd();
}

function extension(name: string): string {
  return /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
