import { format } from 'node:util';
import { lineMarker } from './mochaRun';
import { startServer, type ServerOptions } from './server';

export interface HostRun extends ServerOptions {
  readonly folder: string | undefined;
  /** A CommonJS file, named without its ending, that exports `run()`. */
  readonly testsPath: string;
  readonly print: (line: string) => void;
  /** Longest time for the whole run, in ms. */
  readonly timeoutMs?: number;
}

/**
 * Runs `run()` of a file inside the extension host of a VS Code server and returns its exit code, 0 when it resolved.
 * The lines of the test report are printed, with AGENT_CONSOLE_VERBOSE=1 everything that VS Code logs as well. Rejects when the window is lost or the time is over.
 */
export async function runInHost(run: HostRun): Promise<number> {
  const server = await startServer(run);
  try {
    let timer: NodeJS.Timeout | undefined;
    const exit = new Promise<number>((resolve, reject) => {
      const ms = run.timeoutMs ?? 600_000;
      timer = setTimeout(
        () => reject(new Error(`The run in the extension host took more than ${ms / 1000} s.`)),
        ms,
      );
      server
        .openPage(run.folder, {
          payload: [['extensionTestsPath', run.testsPath]],
          prepare: async page => {
            page.once('crash', () => reject(new Error('The window of VS Code crashed.')));
            await page.exposeFunction('codeAutomationLog', (_type: string, values: unknown[]) => {
              const line = reported(values);
              if (line !== undefined) run.print(line);
            });
            await page.exposeFunction('codeAutomationExit', (code: number) => resolve(code));
          },
        })
        .catch(reject);
    });
    try {
      return await exit;
    } catch (error) {
      run.print(server.logs());
      throw error;
    } finally {
      clearTimeout(timer);
    }
  } finally {
    await server.close();
  }
}

function reported(values: readonly unknown[]): string | undefined {
  const [first] = values;
  if (typeof first === 'string' && first.startsWith(lineMarker)) return first.slice(lineMarker.length);
  return process.env['AGENT_CONSOLE_VERBOSE'] === '1' ? format(...values) : undefined;
}
