import * as fs from 'node:fs';
import * as path from 'node:path';
import { type Frame, type Page } from 'playwright-core';
import { packageExtension } from '../vscode/server';
import payloads from './corpus.json';

const collectingHost = 'collect.invalid';

/** Long ones, of which many a parser is slow or runs out of its stack. */
const long: readonly string[] = [
  `${'A'.repeat(60_000)}<img src=x onerror={run}>`,
  `${'<b>'.repeat(5_000)}<img src=x onerror={run}>`,
  `${'['.repeat(10_000)}x](javascript:{run})`,
  `${'> '.repeat(2_000)}<img src=x onerror={run}>`,
  `${'*_a'.repeat(10_000)}<img src=x onerror={run}>`,
  `${'a'.repeat(40_000)}@<img src=x onerror={run}>`,
  `${'|a'.repeat(8_000)}\n${'|-'.repeat(8_000)}\n${'|a\n'.repeat(500)}<img src=x onerror={run}>`,
];

/** Texts that try to become script, requests or live markup: `{run}` tells the test, `{url}` is an address nobody may ask. */
export const corpus: readonly string[] = [...Object.values(payloads).flat(), ...long].map((text, index) =>
  text.replaceAll('{run}', `canary(${index})`).replaceAll('{url}', `https://${collectingHost}/${index}`),
);

/** Short payloads that fit where a line is shown: titles, names, states, file names, error texts. */
export const lines: readonly string[] = corpus.filter(text => text.length < 200 && !text.includes('\n'));

/** What would become a live link in a notification, and an icon in a quick pick. */
export const commandLink = '[x](command:workbench.action.openSettings) $(zap)';

/** Payloads that ran, requests to the host of the corpus, all addresses pages asked for, what policies stopped, messages to pages. */
export type Watched = Readonly<Record<'ran' | 'asked' | 'byPages' | 'stopped' | 'messages', string[]>>;

export async function watch(page: Page): Promise<Watched> {
  const seen: Watched = { ran: [], asked: [], byPages: [], stopped: [], messages: [] };
  await page.exposeBinding('canary', ({ frame }, what) => seen.ran.push(`${String(what)} in ${frame.url()}`));
  await page.exposeBinding('pageReceives', (_, text: string) => seen.messages.push(text));
  await page.addInitScript(`
    for (const name of ['alert', 'confirm', 'prompt', 'print']) window[name] = () => canary(name);
    if (window !== window.top) {
      const post = window.postMessage.bind(window);
      window.postMessage = (message, ...rest) => {
        pageReceives(JSON.stringify(message) ?? '');
        post(message, ...rest);
      };
    }`);
  page.on('console', message => {
    if (message.text().includes('Content Security Policy')) seen.stopped.push(message.text());
  });
  page.on('request', request => {
    const url = request.url();
    if (URL.canParse(url) && new URL(url).hostname.endsWith(collectingHost)) seen.asked.push(url);
    if (request.serviceWorker() === null && request.frame().parentFrame() !== null) seen.byPages.push(url);
  });
  return seen;
}

/** Elements and attributes a transcript is made of; everything else is a finding. */
const ELEMENTS =
  `div main article h2 h3 h4 h5 h6 p span ul ol li time button details summary pre code table thead tbody tr th td
  strong em del a blockquote br hr figure figcaption img`.split(/\s+/);
const ATTRIBUTES =
  'class title role tabindex dir type open disabled start align data-act href src alt style hidden'.split(
    ' ',
  );

const inspectScript = `(() => {
  const elements = new Set(${JSON.stringify(ELEMENTS)});
  const attributes = new Set(${JSON.stringify(ATTRIBUTES)});
  const found = new Set();
  for (const element of document.querySelectorAll('.transcript, .transcript *')) {
    const name = element.localName;
    if (!elements.has(name) || !(element instanceof HTMLElement)) found.add('<' + name + '>');
    for (const { name: attribute, value } of element.attributes) {
      if (!attributes.has(attribute) && !attribute.startsWith('aria-')) found.add(name + ' ' + attribute);
      if (attribute === 'style' && !element.matches('.rows, .row')) found.add(name + ' with style');
    }
    if (element.matches('a') && !/^(https?:\\/\\/|mailto:)/.test(element.getAttribute('href') ?? '')) {
      found.add('link to ' + element.getAttribute('href'));
    }
    if (element.matches('img') && !element.src.startsWith('blob:')) found.add('picture of ' + element.src);
    for (const word of element.classList) {
      if (element.closest('.markdown') && element.closest('pre code') && !/^(hljs-[a-z_-]+|language-[a-z]+|[a-z]+_+)$/.test(word)) {
        found.add('class ' + word + ' in code');
      }
    }
  }
  for (const element of document.querySelectorAll('*')) {
    for (const { name } of element.attributes) if (/^on|^srcdoc$|action$/.test(name)) found.add(element.localName + ' ' + name);
    if (/^(iframe|frame|object|embed|form|base|svg|math|template|noscript|video|audio)$/.test(element.localName)) {
      found.add('<' + element.localName + '>');
    }
  }
  if (document.scripts.length - document.head.querySelectorAll('script').length !== 1) found.add('another script');
  return [...found];
})()`;

/** Everything in the page that no transcript should hold; empty when all is well. */
export function inspect(frame: Frame): Promise<string[]> {
  return frame.evaluate(inspectScript);
}

const readThroughScript = `(async () => {
  const drawn = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const inspect = () => ${inspectScript};
  const log = document.querySelector('.log');
  const findings = new Set();
  const rows = new Map();
  log.dispatchEvent(new WheelEvent('wheel'));
  log.scrollTop = 0;
  for (;;) {
    for (let before = -1, closed; ; ) {
      await drawn();
      closed = [...log.querySelectorAll('details:not([open]) > summary')];
      for (const summary of closed) summary.click();
      const now = log.querySelectorAll('*').length;
      if (closed.length === 0 && now === before) break;
      before = now;
    }
    for (const finding of inspect()) findings.add(finding);
    for (const row of log.querySelectorAll('article')) {
      const markdown = row.querySelectorAll('.markdown').length;
      const opened = row.querySelectorAll('details[open]').length;
      rows.set(row.textContent.slice(0, 2000) + markdown, { markdown, opened });
    }
    const before = log.scrollTop;
    const ends = [...log.querySelectorAll('.row')].map(row => row.offsetTop + row.offsetHeight);
    log.scrollTop = Math.max(before, Math.max(...ends) - 2 * log.clientHeight) + log.clientHeight;
    if (log.scrollTop <= before) return { findings: [...findings], rows: [...rows.values()] };
  }
})()`;

/** Scrolls through the whole transcript, opening what is collapsed: of each row how many pieces of Markdown and opened blocks it holds. */
export function readThrough(frame: Frame) {
  type Rows = readonly Readonly<{ markdown: number; opened: number }>[];
  return frame.evaluate<Readonly<{ findings: readonly string[]; rows: Rows }>>(readThroughScript);
}

/** What an `alter` fault makes of message answers: the agent's messages hold the corpus in every field a person sees. */
export function hostileMessages(): (body: unknown) => unknown {
  const bodies = new Map<string, object>();
  const all = corpus.join('\n\n');
  const backwards = corpus.toReversed().join('\n\n');
  const text = (value: string) => ({ type: 'text', id: 'i', text: value });
  const result = (index: number) => ({
    ...{ type: 'tool_result', id: `result${index}`, toolUseId: `use${index}`, isError: index % 2 === 0 },
  });
  const makers: readonly (() => object)[] = [
    () => ({ content: corpus.map(text) }),
    () => ({ content: [text(all.slice(0, 45_000)), text(backwards.slice(0, 45_000)), text(all)] }),
    () => ({
      content: lines.flatMap((line, index) => {
        const use = { type: 'tool_use', id: `use${index}`, name: line, input: { [line]: line } };
        return [use, { ...result(index), content: line }];
      }),
    }),
    () => ({ role: 'tool', content: [{ ...result(0), content: [text(all), { type: all }] }] }),
    () => ({ content: corpus.map(thinking => ({ type: 'thinking', id: 't', thinking })) }),
    () => ({
      content: corpus.map(text),
      providerAPhase: 'commentary',
      providerAReasoningSummary: backwards.slice(0, 45_000),
      chatCompletionReasoningContent: all.slice(0, 45_000),
    }),
    () => ({ role: commandLink, content: lines.map(type => ({ type, id: 'o', [type]: type })) }),
    () => ({
      isError: true,
      content: lines.flatMap(name => [
        { type: 'document', id: 'd', name, source: { type: 'base64', mediaType: name, data: 'eA==' } },
        { type: 'image', id: 'p', name, source: { ...SVG, url: name } },
      ]),
    }),
  ];
  return body => {
    const message = body as Readonly<Record<'id' | 'role' | 'visibility', string>>;
    if (message.role === 'user' || message.visibility === 'llm_only') return body;
    const known = bodies.get(message.id);
    const shown = { role: 'assistant', isUserVisible: true, visibility: 'both' };
    const made = known ?? { ...shown, ...makers[bodies.size % makers.length]?.() };
    bodies.set(message.id, made);
    return { ...message, ...made };
  };
}

const SVG = {
  ...{ type: 'url', mediaType: 'image/svg+xml' },
  data: btoa('<svg xmlns="http://www.w3.org/2000/svg" onload="canary(\'svg\')"/>'),
};

/** The .vsix of an extension that shows a text unguarded, to prove that the tests would see a link or an icon. */
export function packageProbe(folder: string): string {
  const manifest = {
    ...{ name: 'probe', publisher: 'test', version: '1.0.0', license: 'MIT', main: './main.js' },
    ...{ engines: { vscode: '^1.105.0' }, activationEvents: [] },
    contributes: { commands: [{ command: 'probe.show', title: 'Probe: show' }] },
  };
  const main = `const { commands, window } = require('vscode');
const text = ${JSON.stringify(commandLink)};
exports.activate = () => commands.registerCommand('probe.show', async () => {
  void window.showInformationMessage(text);
  await window.showInputBox({ value: 'x', ignoreFocusOut: true, prompt: text });
  void window.showQuickPick([{ label: text }]);
});
`;
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  fs.writeFileSync(path.join(folder, 'main.js'), main);
  return packageExtension(folder, '--skip-license');
}

/** Every file below a folder that a running VS Code writes to, with its bytes as latin1; what vanishes meanwhile is left out. */
export function textsBelow(folder: string): Map<string, string> {
  const texts = new Map<string, string>();
  const read = (place: string): void => {
    try {
      const facts = fs.lstatSync(place);
      if (facts.isFile()) texts.set(place, fs.readFileSync(place, 'latin1'));
      if (facts.isDirectory()) for (const name of fs.readdirSync(place)) read(path.join(place, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  };
  read(folder);
  return texts;
}
