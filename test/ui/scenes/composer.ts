import { noisePicture } from '../pictures';
import { addSessions } from './sampleSessions';
import type { Scene } from './scene';

/** States of the composer and the queue. */
export const composerScenes: readonly Scene[] = [
  {
    name: 'composer',
    settings: { 'agentConsole.chat.maxAttachmentMegabytes': 1 },
    async play({ workbench, service }) {
      await addSessions(workbench, service);
      const chat = workbench.webview();
      await chat.getByRole('textbox').fill('The screen flickers since yesterday. What changed?');
      await chat.locator('textarea').evaluate(drop, [
        { name: 'shot.png', base64: noisePicture(60, 40).toString('base64') },
        { name: 'far-too-large-picture.png', base64: noisePicture(800, 700).toString('base64') },
        { name: 'notes.md', base64: 'IyBOb3Rlcwo=' },
        { name: 'tool.bin', base64: 'AAECAwA=' },
      ]);
      await chat.locator('.chip').nth(3).waitFor();
      await chat.locator('.thumbnail').nth(1).waitFor();
      return undefined;
    },
  },
  {
    name: 'queue',
    async play({ workbench, service }) {
      await addSessions(workbench, service);
      const chat = workbench.webview();
      service.fail({
        kind: 'alter',
        match: { method: 'GET', path: /\/sessions\/[^/]+$/ },
        alter: body => ({ ...(body as object), status: 'running' }),
      });
      await chat.getByRole('button', { name: 'Refresh' }).first().click();
      await chat.getByRole('button', { name: 'Queue', exact: true }).waitFor();
      const long = 'Then write the release notes, with every change since the last tag, grouped by package. ';
      for (const [index, text] of ['Run the tests again', long.repeat(5), 'Open a pull request'].entries()) {
        await chat.getByRole('textbox', { name: 'Message to the agent' }).fill(text);
        await workbench.page.keyboard.press('Enter');
        await chat.locator('.queued').nth(index).waitFor();
      }
      return undefined;
    },
  },
];

interface Dropped {
  readonly name: string;
  readonly base64: string;
}

interface DroppingBrowser {
  readonly DataTransfer: new () => { readonly items: { add(file: object): void } };
  readonly File: new (parts: readonly Uint8Array[], name: string, options: object) => object;
  readonly DragEvent: new (type: string, options: object) => object;
}

/** Drops files on an element of the page, as from the desktop. */
function drop(element: unknown, files: readonly Dropped[]): void {
  const { DataTransfer, File, DragEvent } = globalThis as unknown as DroppingBrowser;
  const dataTransfer = new DataTransfer();
  for (const { name, base64 } of files) {
    const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0));
    const type = name.endsWith('.png') ? 'image/png' : '';
    dataTransfer.items.add(new File([bytes], name, { type }));
  }
  const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
  (element as { dispatchEvent(event: object): boolean }).dispatchEvent(event);
}
