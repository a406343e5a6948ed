import * as path from 'node:path';
import { type Browser, type Page } from 'playwright-core';
import type { Composer, Kept, PanelState, Row } from '../../src/chat/protocol';
import { patience } from '../until';

/**
 * The chat page by itself in a browser, for what needs exact timing or exact rows. In it, `tell(name, payload)` is what a panel
 * would send, `said` what the page has told it, and `drawn()` resolves when all that was told is on the screen. `before` is run before
 * the page's own script.
 */
export async function openChatPage(
  browser: Browser,
  dist: string,
  kept: Kept = {},
  before = '',
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 900, height: 800 } });
  page.setDefaultTimeout(patience());
  await page.setContent('<!DOCTYPE html><html lang="en"><body><div id="root"></div></body></html>');
  await page.addStyleTag({ path: path.join(dist, 'pages', 'chat.css') });
  await page.evaluate(`
    document.documentElement.style.height = document.body.style.height = '100%';
    window.said = [];
    window.acquireVsCodeApi = () => ({ postMessage: message => said.push(message), getState() {}, setState() {} });
    window.drawn = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    window.tell = (name, payload) => window.postMessage({ kind: 'event', name, payload }, '*');`);
  await page.evaluate(before);
  await page.addScriptTag({ path: path.join(dist, 'pages', 'chat.js') });
  const start = {
    language: 'en',
    identity: { sessionId: 's', serviceId: 's', title: 't' },
    draft: '',
    kept,
    focus: true,
  };
  await page.evaluate(`tell('start', ${JSON.stringify(start)})`);
  return page;
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
    continued: false,
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
      largePaste: 'ask',
      fileLimit: 100,
      ...composer,
    },
    removed: false,
  };
}
