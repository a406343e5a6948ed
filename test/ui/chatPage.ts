import { type Browser, type Page } from 'playwright-core';
import type { Composer, Kept, PanelState, Row } from '../../src/chat/protocol';
import { openPage } from './page';

/** The chat page by itself, begun, for what needs exact timing or exact rows. */
export async function openChatPage(
  browser: Browser,
  dist?: string,
  kept: Kept = {},
  before = '',
): Promise<Page> {
  const css = 'html, body { height: 100%; }';
  const { page } = await openPage(browser, 'chat', { ...(dist !== undefined && { dist }), css, before });
  await page.evaluate(`tell('start', ${JSON.stringify(startOf({ kept }))})`);
  return page;
}

/** What the panel of a new session begins with. */
export function startOf(fields: { readonly language?: string; readonly kept?: Kept } = {}): object {
  const identity = { sessionId: 's', serviceId: 's', title: 't' };
  return { language: 'en', identity, draft: '', kept: {}, focus: true, ...fields };
}

/** A message with code and a file's name in it; every fourth is the person's. */
export function messageRow(index: number): Row {
  const agent = index % 4 !== 0;
  const code = Array.from(
    { length: 12 },
    (_, line) => `const line${line} = work(${index}, 'line ${line} of the code'); // ${index}`,
  ).join('\n');
  const words = `Number ${index}. **Some** words about \`src/file${index}.ts:${index % 90}\` and more of them.`;
  const text = agent
    ? `${words}\n\n- one\n- two\n\n\`\`\`ts\n${code}\n\`\`\`\n`
    : `Number ${index}. Please look at this.`;
  const read = { kind: 'fold', icon: 'file', label: ['Read ', 'a.ts', ''], preview: '' } as const;
  const result = { ...read, texts: [code], isCode: true, failed: false } as const;
  return {
    kind: 'message',
    key: `message:${index}`,
    id: String(index),
    author: agent ? 'agent' : 'person',
    role: agent ? 'assistant' : 'user',
    at: 1_700_000_000_000 + index * 60_000,
    failed: false,
    parts: [...(index % 3 === 1 ? [result] : []), { kind: 'text', text }],
    chips: [],
    accepted: false,
  };
}

/** What the panel of an idle session tells of its composer. */
export function stateOf(composer: Partial<Composer> = {}): PanelState {
  return {
    header: {
      title: 'A session',
      facts: [],
      status: { word: 'idle', icon: 'circle', spin: false },
      refreshing: false,
      about: '{}',
    },
    composer: {
      chips: [],
      total: '',
      sending: false,
      canStop: false,
      queues: false,
      queue: [],
      queueNote: '',
      queueStopped: false,
      target: '',
      sendKey: 'enter',
      fileLimit: 100,
      ...composer,
    },
    removed: false,
  };
}
