import * as path from 'node:path';
import { Transcript } from '../../src/chat/transcript/transcript';
import { openStorage } from '../fakes/storage';
import { silentLog } from '../fakes/log';
import { startSampleService } from '../fakes/sampleService';
import { serviceIdOf, storageOf } from '../ui/seed';
import { signedInTo, Workbench } from '../ui/workbench';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { makeSampleWorkspace } from '../vscode/sampleWorkspace';
import { atMost, median, type Row } from './rows';

const MESSAGES = 10_000;
const ROUNDS = 7;

/** In the page: from the next Enter until the log shows the text, ms. */
const DRAWN = `(wanted => new Promise(resolve => {
  const look = began => {
    if (document.querySelector('.log')?.textContent.includes(wanted)) resolve(performance.now() - began);
    else requestAnimationFrame(() => look(began));
  };
  addEventListener('keydown', event => look(event.timeStamp), { capture: true, once: true });
}))`;

/** From Enter to the own message in the chat of a real window, with 10,000 messages of the session open. */
export async function enterRows(): Promise<Row[]> {
  const folder = temporaryFolder('enter');
  makeSampleWorkspace(path.join(folder, 'workspace'));
  const service = await startSampleService({ pace: 0 });
  const workbench = await Workbench.open({
    folder: path.join(folder, 'workspace'),
    env: signedInTo(service),
  });
  try {
    const sessionId = service.sessionIds[0] ?? '';
    const storage = openStorage({ root: storageOf(workbench), log: silentLog() });
    const transcript = new Transcript(storage, serviceIdOf(service), sessionId);
    await transcript.keep(
      Array.from({ length: MESSAGES }, (_, index) => ({
        id: String(index),
        role: index % 2 === 0 ? 'user' : 'assistant',
        createdAt: index,
        updatedAt: index,
        content: [{ type: 'text', text: `Number ${index}.\n\nSome \`code\` and **words**. `.repeat(4) }],
        ...(index === 0 ? {} : { parentId: String(index - 1) }),
      })),
    );
    await storage.settled();
    storage.dispose();

    await workbench.openContainer('Agent Console');
    await workbench.runCommand('Agent Console: Open a session by its id');
    await workbench.answer(sessionId);
    const page = workbench.webview();
    const field = page.getByRole('textbox', { name: 'Message to the agent' });
    const took: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const text = `Measured message ${round}.`;
      await field.fill(text);
      await page.getByRole('button', { name: 'Send', exact: true }).and(page.locator(':enabled')).waitFor();
      const drawn = workbench.inPage(frame => frame.evaluate<number>(`${DRAWN}(${JSON.stringify(text)})`));
      await field.press('Enter');
      took.push(await drawn);
    }
    return [
      atMost(
        'Enter to own message drawn, 10,000 messages open',
        median(took),
        50,
        ms => `${ms.toFixed(0)} ms`,
      ),
    ];
  } finally {
    await workbench.close();
    await service.close();
    removeFolder(folder);
  }
}
