import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { removeFolder, root, temporaryFolder } from '../vscode/paths';
import { openChat, type ChatStage } from './chatStage';
import { violations } from './page';
import { themes } from './stage';
import type { Workbench } from './workbench';

describe('accessibility', () => {
  let extension: string;
  let stage: ChatStage;
  let workbench: Workbench;

  const send = async (text: string): Promise<void> => {
    await stage.composer.fill(text);
    await stage.press('Enter');
  };

  before(async () => {
    // A theme setting does not count for an extension under development with VS Code somewhere below its folder.
    extension = temporaryFolder('extension');
    for (const part of ['package.json', 'package.nls.json', 'dist', 'media', 'l10n'])
      fs.cpSync(path.join(root, part), path.join(extension, part), { recursive: true });
    const files = { 'notes.txt': 'notes\n', 'empty.txt': '', 'tool.bin': Buffer.from([0, 1, 2, 3, 0, 255]) };
    stage = await openChat({ files, extensions: [extension] });
    ({ workbench } = stage);
  });
  after(async () => {
    await stage.close();
    removeFolder(extension);
  });

  it('has no violation in an empty session, and none in one with everything', async () => {
    await stage.chat.getByRole('heading', { name: 'No messages yet' }).waitFor();
    assert.deepEqual(await workbench.inPage(violations), []);
    stage.service.fail({ kind: 'alter', match: { path: /\/messages\// }, alter: more });
    await stage.add(2);
    await stage.heading('Odd corners').waitFor();
    for (const text of ['Show me the tests', 'Thank you']) {
      await send(text);
      await stage.chat.getByRole('article').getByText(text).waitFor();
    }
    stage.service.fail({ kind: 'reset', times: 1, match: { method: 'POST' } });
    await send('Unknown');
    await stage.chat.getByRole('article', { name: /unknown/ }).waitFor();
    stage.service.fail({ kind: 'status', status: 422, times: 1, match: { method: 'POST' } });
    await send('Refused');
    await stage.chat.locator('.composer').getByText('Not sent: ').waitFor();
    await workbench.explorerMenu(['empty.txt', 'notes.txt', 'tool.bin'], 'Send to agent session');
    await workbench.pick('Odd corners');
    await stage.chat.getByRole('list', { name: 'Attachments' }).getByText('is not supported').waitFor();
    await stage.composer.focus();
    await workbench.page.keyboard.press('Control+f');
    const find = stage.chat.getByRole('textbox', { name: 'Find in this session' });
    await find.fill('everything');
    await stage.chat.locator('output', { hasText: ' of ' }).waitFor();
    await inEachTheme(async rules => {
      const end = rules === undefined ? await workbench.inPage(violations) : [];
      await workbench.inPage(frame => frame.evaluate(openAll));
      await stage.chat.locator('.hljs-deletion').first().waitFor();
      return [...end, ...(await workbench.inPage(frame => violations(frame, rules)))];
    });
    await find.press('Escape');
    await find.waitFor({ state: 'detached' });
  });

  it('is worked with the keyboard alone', async () => {
    const focused = stage.chat.locator(':focus');
    const button = (name: string | RegExp) => stage.chat.getByRole('button', { name });
    /** Each key leads to the button of this name. */
    const walk = async (...steps: readonly (readonly [string, string | RegExp])[]): Promise<void> => {
      for (const [key, name] of steps) {
        await stage.press(key);
        await button(name).and(focused).waitFor();
      }
    };

    await stage.composer.focus();
    await walk(['Shift+Tab', 'Remove tool.bin']);
    await stage.press('Enter');
    await button('Remove tool.bin').waitFor({ state: 'detached' });
    await stage.composer.and(focused).waitFor();
    await walk(
      ['Shift+Tab', 'Remove notes.txt'],
      ['Shift+Tab', /^Open notes\.txt/],
      ['Shift+Tab', 'Remove empty.txt'],
    );
    await stage.press('Space');
    await button('Remove empty.txt').waitFor({ state: 'detached' });
    await workbench.page.keyboard.type('Written without a mouse');
    await button(/^Send$/)
      .and(stage.chat.locator('[aria-disabled="false"]'))
      .waitFor();
    await walk(['Tab', 'Attach files'], ['Tab', 'Send to atlas'], ['Tab', /^Send$/]);

    const log = stage.chat.getByRole('log');
    await log.press('End');
    const unknown = stage.chat.getByRole('article', { name: /unknown/ });
    await unknown.getByRole('button', { name: 'Discard' }).press('Enter');
    await unknown.waitFor({ state: 'detached' });
    await log.and(focused).waitFor();
    await button('Refresh').focus();
    await walk(['Tab', 'More actions'], ['Tab', /tokens/]);
    await stage.press('Tab');
    await log.and(focused).waitFor();
  });

  it('has none in a readiness report', async () => {
    await workbench.runCommand('Agent Console: Open readiness report');
    await workbench.pick('acme/billing');
    const page = workbench.front;
    await page.getByRole('heading', { level: 1, name: 'acme/billing' }).waitFor();
    await page.getByRole('img', { name: /Score over/ }).waitFor();
    await inEachTheme(rules => workbench.inPage(frame => violations(frame, rules)));
  });

  /** Looks with every rule in one theme, and at what a theme changes in each of the others; expects that nothing is found. */
  async function inEachTheme(look: (rules?: readonly string[]) => Promise<readonly string[]>): Promise<void> {
    const found: string[] = [];
    for (const [index, { label, window, page }] of Object.values(themes).entries()) {
      await workbench.runCommand('Preferences: Color Theme');
      await workbench.answer(label);
      await workbench.page.locator(`.monaco-workbench.${window}`).waitFor();
      await stage.chat.locator(`body.${page}`).waitFor();
      const broken = await look(index === 0 ? undefined : ['color-contrast']);
      found.push(...broken.map(each => `${label}: ${each}`));
    }
    assert.deepEqual(found, []);
  }
});

/** Goes to the top of the transcript and opens what is collapsed there. */
const openAll = `(async () => {
  document.querySelector('.log').dispatchEvent(new WheelEvent('wheel'));
  document.querySelector('.log').scrollTop = 0;
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  for (const summary of document.querySelectorAll('details:not([open]) > summary')) summary.click();
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
})()`;

/** A message of the agent, with code of every kind that is coloured, and headings in an odd order. */
function more(body: unknown): unknown {
  const { role, content = [] } = body as { readonly role: string; readonly content?: readonly object[] };
  const text = ['##### Deep', '# High', '| | empty head |\n| - | - |\n| a | b |', ...code].join('\n\n');
  const added = [...content, { type: 'text', id: 'more', text }];
  return { ...(body as object), ...(role !== 'user' && { content: added }) };
}

const code = Object.entries({
  ts: '// note\nexport class A<T extends B> { @c() d: number = 1; e = `x${f}`.match(/g+/) ?? null; }',
  python: '@a\ndef b(c: int = 1) -> str:\n    """doc"""\n    return f"{c}" if True else None  # note',
  diff: '--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new',
  xml: '<?xml version="1.0"?><!-- note --><a b="c">&amp;<d/></a>',
  json: '{ "a": [1, true, null, "b"] }',
  yaml: 'a: &b\n  - c: "d" # note\n  - *b',
  bash: '#!/bin/sh\nif [ -n "$A" ]; then echo $(b) > c; fi',
  sql: "SELECT a, count(*) FROM b WHERE c = 'd' -- note",
  rust: '#[a] fn b<\'c>(d: &\'c str) -> Option<u8> { println!("{}", d); None }',
  go: 'package a\nfunc b(c chan int) error { return nil }',
  java: '@Override public final int a(String... b) throws C { return 0x1F; }',
}).map(([language, source]) => `\`\`\`${language}\n${source}\n\`\`\``);
