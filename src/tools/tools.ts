import type * as z from 'zod/mini';

/** Something an assistant or another program may ask of this product; the one definition behind every way of asking. */
export interface Tool<I = unknown> {
  /** Such as `list_sessions`. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** For models: what it gives, when to use it, its limits. */
  readonly description: string;
  readonly input: z.ZodMiniType<I>;
  /** The same as JSON Schema, as package.json has it. */
  readonly inputSchema: object;
  /** Whether it changes anything anywhere. */
  readonly writes: boolean;
  /** Rejects with a sentence for people and models. */
  run(input: I, signal: AbortSignal): Promise<ToolAnswer>;
}

/** `text` is what a model reads, `structured` the same for programs: plain JSON. */
export interface ToolAnswer {
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

/** Asks a tool by its name; rejects with a sentence where there is none, where the input does not fit, or where it fails. */
export async function callTool(
  tools: readonly Tool[],
  name: string,
  input: unknown,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const tool = tools.find(each => each.name === name);
  if (tool === undefined) {
    const names = tools.map(each => each.name).join(', ');
    throw new Error(`There is no tool of this name. Tools: ${names}.`);
  }
  const read = tool.input.safeParse(input ?? {});
  if (!read.success)
    throw new Error(`The input does not fit ${name}: ${read.error.issues.map(sentenceOf).join('; ')}.`);
  signal.throwIfAborted();
  return tool.run(read.data, signal);
}

/** What is wrong with a field, without its value. */
function sentenceOf(issue: z.core.$ZodIssue): string {
  const where = issue.path.length === 0 ? 'the input' : issue.path.join('.');
  if (issue.code === 'unrecognized_keys') return `${where} has unknown fields`;
  if (issue.code === 'invalid_type') return `${where} must be of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `${where} must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small') return `${where} must be at least ${String(issue.minimum)}`;
  if (issue.code === 'too_big') return `${where} must be at most ${String(issue.maximum)}`;
  return `${where} is not valid`;
}
