import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { makeSampleRepository } from '../../src/sample/repository';
import { openChat, type ChatStage } from './chatStage';
import type { Workbench } from './workbench';

const MARKED = `[...(CSS.highlights.get('find') ?? [])].some(range => String(range) === 'return input.reduce')`;
const CART = 'services/checkout/src/cart.ts';
const DIFF = `--- a/${CART}\n+++ b/${CART}\n@@ -1 +1 @@\n-export interface CartLine {\n+export interface CartItem {`;

/** What the agent's message with an error holds: names of files, and a diff. */
function more(body: unknown): unknown {
  const answer = body as { readonly messages: readonly { readonly role: string }[] };
  const text = `See \`${CART}:3\`, cart.ts:4 and ../outside.ts:1.\n\n\`\`\`diff\n${DIFF}\n\`\`\``;
  const content = [{ type: 'text', id: 'names', text }];
  const changed = answer.messages.map(message =>
    message.role === 'assistant' && 'isError' in message ? { ...message, content } : message,
  );
  return { ...answer, messages: changed };
}

/** Reading a session in a service that lists its messages. */
describe('reading a transcript', () => {
  let stage: ChatStage;
  let workbench: Workbench;

  /** The tab of a session's page. */
  const page = (title: string) =>
    workbench.page.locator('.tab[data-resource-name^="webview-"]').filter({ hasText: title });

  before(async () => {
    const files = (folder: string) => makeSampleRepository(folder, 'git', Date.now());
    stage = await openChat({ files, service: { extras: true } });
    ({ workbench } = stage);
    stage.service.fail({ kind: 'alter', match: { method: 'GET', path: /\/messages$/ }, alter: more });
  });
  after(() => stage.close());

  it('is there at once where the service lists messages, without what nobody may see', async () => {
    await stage.add(2);
    await stage.chat.getByRole('article').getByText('Everything at once').waitFor();
    await stage.chat.getByRole('log').press('Home');
    await stage.chat.getByText('Content of the type "hologram"').waitFor();
    const system = stage.chat.locator('summary', { hasText: 'System message' });
    await system.press('Enter');
    await stage.chat.locator('details[open]').getByText('was lost and came back').waitFor();
    await system.press('Enter');
    const shown = await stage.chat.locator('body').innerText();
    for (const hidden of ['An internal note', 'You are an agent']) assert.ok(!shown.includes(hidden), hidden);
    assert.doesNotMatch(shown, /cannot be read before|The agent has answered/);
  });

  it('opens the file and line a message names, if the workspace has it', async () => {
    const link = (name: string) => stage.chat.getByRole('link', { name, exact: true });
    const opens = async (place: string): Promise<void> => {
      await workbench.page.locator('.statusbar-item', { hasText: place }).waitFor();
      await page('Odd corners').click();
      // The page takes the focus to its composer when it is shown.
      await stage.chat.locator('textarea:focus').waitFor();
    };
    await link(`${CART}:3`).click();
    await workbench.tab('cart.ts').waitFor();
    await opens('Ln 3, Col 1');
    await link('cart.ts:4').press('Enter');
    await opens('Ln 4, Col 1');
    await link('../outside.ts:1').click();
    await stage.chat.locator('.problem', { hasText: 'is not in this workspace' }).waitFor();
  });

  it('shows a diff beside its file, and changes nothing before the person has seen it in the preview', async () => {
    await stage.button('Open as diff').click();
    await workbench.page.locator('.monaco-diff-editor').getByText('CartItem').first().waitFor();
    await workbench.runCommand('View: Close Editor');
    await page('Odd corners').click();
    await stage.button('Apply…').click();
    await workbench.page.locator('.bulk-edit-panel').getByText('cart.ts').first().waitFor();
    assert.match(fs.readFileSync(path.join(stage.folder, CART), 'utf8'), /CartLine/);
    await workbench.page.getByRole('button', { name: 'Discard' }).click();
    await page('Odd corners').click();
  });

  it('is searched as a whole, and keeps open what was collapsed', async () => {
    await stage.chat.locator('textarea').focus();
    await workbench.page.keyboard.press('Control+f');
    const field = stage.chat.getByRole('textbox', { name: 'Find in this session' });
    const find = async (words: string, told: string): Promise<void> => {
      await field.fill(words);
      await stage.chat.getByText(told).waitFor();
    };
    await find('nobody knows yet', '1 of 1');
    await stage.chat.locator('details[open]').getByText('a kind nobody knows yet').waitFor();
    await find('You are an agent', 'No results');
    await find('return input.reduce', '1 of 1');
    await workbench.pageShows(MARKED);
    await field.press('Escape');
    await field.waitFor({ state: 'detached' });
    await stage.chat.locator('textarea:focus').waitFor();
    // What was opened stays so while another editor is in front.
    await stage.chat.getByRole('log').press('Home');
    const open = stage.chat.locator('details[open]').getByText('a kind nobody knows yet');
    await open.waitFor();
    await page('New session').click();
    await stage.heading('New session').waitFor();
    await page('Odd corners').click();
    await open.waitFor();
  });

  it('says when its session was removed, and offers to add it again', async () => {
    const row = workbench.row('Sessions', 'Migrate the build');
    await stage.add(1);
    await stage.heading('Migrate').waitFor();
    await stage.chat.locator('textarea:focus').waitFor();
    await workbench.contextMenu(row, 'Remove session from this list');
    await stage.chat.getByText('This session is no longer in your list.').first().waitFor();
    await stage.button('Add it again').click();
    await row.waitFor();
    await stage.button('Add it again').waitFor({ state: 'detached' });
  });
});
