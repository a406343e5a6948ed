import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Logger } from '../log';
import type { SampleService } from '../sample';
import type { Addresses } from './addresses';
import type { ConnectionRecords } from './records';

export interface SampleOptions {
  /** File that keeps the sample's sessions; its folder is made when needed. */
  readonly stateFile: string;
  /** The open folder's repository, if there is one. */
  readonly openRepository: () => Promise<OpenRepository | undefined>;
}

/** The address of a repository's remote, and what was checked out when (Unix ms), the oldest first. */
export interface OpenRepository {
  readonly url: string;
  readonly commits: readonly { readonly hash: string; readonly at: number }[];
}

/** Where the sample service answers, and the key it takes. */
export interface RunningSample extends Addresses {
  readonly key: string;
}

interface Ports {
  readonly port: number;
  readonly appPort: number;
}

/** Another window may just be starting or ending: look this often before its ports count as taken by a stranger. */
const LOOKS = 12;
const LOOK_MS = 150;
const ANSWER_MS = 2_000;
const NEW_PORTS = 5;

/**
 * The sample service, served by one window for all of them. Its two ports are picked once and remembered; when the window that
 * serves goes away, the next one that needs it takes over the same ports and the same sessions.
 */
export class SampleHost {
  readonly #options: SampleOptions;
  readonly #records: ConnectionRecords;
  readonly #log: Logger;
  #own: SampleService | undefined;
  #key: string | undefined;
  #ensuring: Promise<RunningSample> | undefined;
  #stopped = false;

  constructor(options: SampleOptions, records: ConnectionRecords, log: Logger) {
    this.#options = options;
    this.#records = records;
    this.#log = log;
  }

  /** Whether this window is the one that serves. */
  get serves(): boolean {
    return this.#own !== undefined;
  }

  /** Makes sure somebody serves. Cheap when that is so; callers at the same time share one look. */
  ensureServing(): Promise<RunningSample> {
    this.#stopped = false;
    this.#ensuring ??= this.#ensure().finally(() => (this.#ensuring = undefined));
    return this.#ensuring;
  }

  /** Ends the service if this window serves it. What it holds is kept. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ensuring?.catch(() => undefined);
    const own = this.#own;
    this.#own = undefined;
    await own?.close();
  }

  async #ensure(): Promise<RunningSample> {
    if (this.#own !== undefined) return this.#here(this.#own);
    const known = this.#records.sample;
    if (this.#key !== undefined && hasPorts(known) && (await isOpen(known))) return at(known, this.#key);
    for (let attempt = 0; attempt < NEW_PORTS; attempt++) {
      const record = await this.#records.readSample();
      if (!hasPorts(record)) {
        await this.#pickPorts(undefined);
        continue;
      }
      const running = await this.#joinOrServe(record);
      if (running !== undefined) return running;
      this.#log.info(`Ports ${record.port} and ${record.appPort} are taken by another program`);
      await this.#pickPorts(record);
    }
    throw new Error(vscode.l10n.t('The sample service finds no free ports on this machine.'));
  }

  /** `undefined` when something else has the ports. */
  async #joinOrServe(ports: Ports): Promise<RunningSample | undefined> {
    for (let look = 0; look < LOOKS; look++) {
      if (look > 0) await delay(LOOK_MS);
      const own = await this.#tryToServe(ports);
      if (own !== undefined) return own;
      const joined = await this.#tryToJoin(ports);
      if (joined !== undefined) return joined;
    }
    return undefined;
  }

  async #tryToServe(ports: Ports): Promise<RunningSample | undefined> {
    const { sampleKeys, startSampleService } = await import('../sample');
    const open = await this.#options.openRepository().catch(() => undefined);
    try {
      const own = await startSampleService({
        ...ports,
        stateFile: this.#options.stateFile,
        keys: sampleKeys(await this.#records.sampleSecret()),
        ...(open === undefined ? {} : { openRepositoryUrl: open.url, openRepositoryCommits: open.commits }),
      });
      if (this.#stopped) await own.close();
      else this.#own = own;
      this.#log.info(`This window serves the sample at ${own.baseUrl} and ${own.appUrl}`);
      return this.#here(own);
    } catch (error) {
      if (!isTaken(error)) throw error;
      return undefined;
    }
  }

  async #tryToJoin(ports: Ports): Promise<RunningSample | undefined> {
    const running = at(ports, await this.#sampleKey());
    const answers = await Promise.all([
      isAnswered(`${running.baseUrl}/api/v0/computers`, running.key, 'computers'),
      isAnswered(`${running.appUrl}/api/organization/maturity-level-reports?limit=1`, running.key, 'reports'),
    ]);
    return answers.every(Boolean) ? running : undefined;
  }

  async #sampleKey(): Promise<string> {
    if (this.#key === undefined) {
      const { sampleKeys } = await import('../sample');
      this.#key = sampleKeys(await this.#records.sampleSecret()).owner;
    }
    return this.#key;
  }

  /** Remembers two free ports, unless another window has replaced `taken` meanwhile. */
  async #pickPorts(taken: Ports | undefined): Promise<void> {
    const { startSampleService } = await import('../sample');
    const service = await startSampleService();
    const port = Number(new URL(service.baseUrl).port);
    const appPort = Number(new URL(service.appUrl).port);
    await service.close();
    await this.#records.updateSample(current =>
      hasPorts(current) && current.port !== taken?.port
        ? current
        : { kind: 'sample', chosen: current?.chosen ?? false, port, appPort },
    );
  }

  #here(own: SampleService): RunningSample {
    this.#key = own.apiKey;
    return { baseUrl: own.baseUrl, appUrl: own.appUrl, key: own.apiKey };
  }
}

function at({ port, appPort }: Ports, key: string): RunningSample {
  return { baseUrl: `http://127.0.0.1:${port}`, appUrl: `http://127.0.0.1:${appPort}`, key };
}

function hasPorts(record: Partial<Ports> | undefined): record is Ports {
  return record?.port !== undefined && record.appPort !== undefined;
}

function isTaken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EADDRINUSE' || code === 'EACCES';
}

/** Whether something accepts connections on both ports. */
async function isOpen({ port, appPort }: Ports): Promise<boolean> {
  const open = await Promise.all([port, appPort].map(accepts));
  return open.every(Boolean);
}

function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port, timeout: ANSWER_MS });
    const end = (open: boolean): void => {
      socket.destroy();
      resolve(open);
    };
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false));
  });
}

/** Whether an address answers as the sample does: with a list of this name. */
async function isAnswered(url: string, key: string, list: string): Promise<boolean> {
  try {
    const response = await globalThis.fetch(url, {
      headers: { authorization: `Bearer ${key}` },
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const body: unknown = response.ok ? await response.json() : undefined;
    return (
      typeof body === 'object' && body !== null && Array.isArray((body as Record<string, unknown>)[list])
    );
  } catch {
    return false;
  }
}
