import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import * as path from 'node:path';
import { withCommands, type ConnectionPart } from '../../../src/connection';
import { ServiceConnection } from '../../../src/connection/connection';
import type { Secrets } from '../../../src/connection/records';
import type { Addresses, ConnectionState, Environment } from '../../../src/connection/decide';
import type { AccessRow, Prompts, Question } from '../../../src/connection/signIn';
import type { Storage } from '../../../src/storage';
import type { NoticeButton } from '../../../src/ui/window';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { LoopbackServer } from '../../fakes/faultServer';
import { openStorage } from '../../fakes/storage';
import { startSampleService, type SampleService, type SampleServiceOptions } from '../../fakes/sampleService';
import { Emitter } from '../../../src/util/lifecycle';
import { until } from '../../until';
export { cleanUp, later, temporaryFolder } from '../../fakes/cleanUp';

/** Keys no text anywhere may hold. */
export const CANARY = 'canary-key-7f3a9b51c2';
export const OTHER_CANARY = 'other-canary-key-d04e88';

/** A running service that takes the canary as its Owner's key. */
export async function service(options: SampleServiceOptions = {}): Promise<SampleService> {
  const running = await startSampleService({ pace: 0, keys: { owner: CANARY }, ...options });
  later(() => running.close());
  return running;
}

/** Any HTTP server on loopback; resolves to its address. */
export async function anyServer(listener: RequestListener): Promise<string> {
  const server = await LoopbackServer.listen(createServer(listener));
  later(() => server.close());
  return server.origin;
}

/** The address of a port on which nothing listens. */
export async function deadAddress(): Promise<string> {
  const server = await LoopbackServer.listen(createServer());
  await server.close();
  return server.origin;
}

export const hostOf = (address: string): string => new URL(address).host;

/** Secrets over a map; `wrote` runs after each change. */
function secretsOver(
  values: Map<string, string>,
  wrote: (key: string) => void,
  changed = new Emitter<{ key: string }>(),
): Secrets {
  return {
    get: key => Promise.resolve(values.get(key)),
    keys: () => Promise.resolve([...values.keys()]),
    store: (key, value) => Promise.resolve(values.set(key, value)).then(() => wrote(key)),
    delete: key => Promise.resolve(values.delete(key)).then(() => wrote(key)),
    onDidChange: changed.event,
  };
}

/** Secrets as desktop VS Code has them: one store, and every window hears of changes. */
export class SharedSecrets {
  readonly values = new Map<string, string>();
  readonly #changed = new Emitter<{ key: string }>();
  reads = 0;

  window(): Secrets {
    const secrets = secretsOver(this.values, key => this.#changed.fire({ key }), this.#changed);
    return { ...secrets, get: key => (this.reads++, secrets.get(key)) };
  }
}

/** Secrets as code-server has them: a copy for each page, written back whole, and nobody hears of anything. */
export class SnapshotSecrets {
  kept: ReadonlyMap<string, string> = new Map();

  window(): Secrets {
    const page = new Map(this.kept);
    return secretsOver(page, () => (this.kept = new Map(page)));
  }
}

/** Secrets of a machine without a key ring: storing fails, or seems to work and does not. */
export function brokenSecrets(how: 'throws' | 'forgets'): { window(): Secrets } {
  const fail = (): Promise<never> => Promise.reject(new Error('no key ring'));
  const secrets = secretsOver(new Map(), () => undefined);
  const store = how === 'throws' ? fail : () => Promise.resolve();
  return { window: () => ({ ...secrets, store, keys: how === 'throws' ? fail : secrets.keys }) };
}

/** User settings, shared by windows; one after another, as VS Code writes them. */
class SharedSettings {
  now: Addresses = { baseUrl: '', appUrl: '' };
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly baseUrl = (): string => this.now.baseUrl;
  readonly appUrl = (): string => this.now.appUrl;

  store = async ({ baseUrl, appUrl }: Addresses): Promise<void> => {
    this.set({ ...this.now, baseUrl });
    await Promise.resolve();
    this.set({ baseUrl, appUrl });
  };

  set(addresses: Addresses): void {
    this.now = addresses;
    this.#changed.fire();
  }
}

/** A value to enter; `cancel` does what it says. */
type Answer = string | ((question: Question) => string);

/** A person: answers what it was told to, in order, and remembers everything it was shown. */
export class Person implements Prompts {
  readonly steps: Question[] = [];
  readonly told: string[] = [];
  readonly confirmed: string[] = [];
  readonly opened: string[] = [];
  readonly tables: (readonly AccessRow[])[] = [];
  readonly #answers: Answer[] = [];
  readonly #confirmations: boolean[] = [];
  /** Presses this button of the next notice that has it. */
  presses: string | undefined;
  /** Aborts the next thing under way. */
  cancelsProgress = false;

  answers(...answers: Answer[]): this {
    this.#answers.push(...answers);
    return this;
  }

  confirms(...answers: boolean[]): this {
    this.#confirmations.push(...answers);
    return this;
  }

  /** Each question: its number, what stood in it where that is no secret. */
  get asked(): string[] {
    return this.steps.map(({ title, secret, value }) => {
      const shown = secret ? `(secret)${value === '' ? '' : ' with text'}` : value;
      return `${title.replace(/^Sign in \((.*)\)$/, '$1')} ${shown}`;
    });
  }

  /** Every text that has been on the screen. */
  get texts(): string[] {
    const steps = this.steps.flatMap(step => [step.title, step.prompt, step.problem ?? '']);
    return [...steps, ...this.told, ...this.confirmed, ...this.opened, JSON.stringify(this.tables)];
  }

  ask(step: Question): Promise<string | undefined> {
    this.steps.push(step);
    const answer = this.#answers.shift();
    assert.ok(answer !== undefined, `No answer to: ${step.prompt} ${step.problem ?? ''}`);
    if (answer === 'cancel') return Promise.resolve(undefined);
    const value = typeof answer === 'function' ? answer(step) : answer;
    assert.equal(step.validate(value), undefined);
    return Promise.resolve(value);
  }

  progress<T>(_title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = this.cancelsProgress ? AbortSignal.abort() : new AbortController().signal;
    this.cancelsProgress = false;
    return work(signal);
  }

  tell(_kind: string, message: string, ...buttons: readonly NoticeButton[]): void {
    this.told.push(message);
    const pressed = buttons.find(([label]) => label === this.presses);
    if (pressed === undefined) return;
    this.presses = undefined;
    void pressed[1]();
  }

  confirm(message: string, detail: string): Promise<boolean> {
    this.confirmed.push(`${message} ${detail}`);
    return Promise.resolve(this.#confirmations.shift() ?? false);
  }

  async showAccess(title: string, read: (signal: AbortSignal) => Promise<readonly AccessRow[]>) {
    this.told.push(title);
    this.tables.push(await read(new AbortController().signal));
  }

  openExternal(address: string): Promise<void> {
    this.opened.push(address);
    return Promise.resolve();
  }
}

/** A window with a connection, and the person before it. */
export class Window {
  readonly person = new Person();
  readonly log = silentLog();
  readonly context: Record<string, unknown> = {};
  readonly storage: Storage;
  readonly connection: ConnectionPart;

  constructor(
    root: string,
    surroundings: Omit<ConstructorParameters<typeof ServiceConnection>[0], 'setContext'>,
  ) {
    this.storage = openStorage({ root, log: this.log });
    const setContext = (key: string, value: unknown): void => void (this.context[key] = value);
    const openRepository = () =>
      Promise.resolve({ url: 'https://git.example.com/open/one.git', commits: [] });
    this.connection = withCommands(
      new ServiceConnection({ ...surroundings, setContext }, this.storage, openRepository, this.log),
      this.person,
    );
    later(async () => {
      this.connection.dispose();
      this.storage.dispose();
      await this.storage.settled();
    });
  }

  get kind(): ConnectionState['kind'] {
    return this.connection.state.current.kind;
  }

  /** Of the service it is signed in to. */
  get address(): string | undefined {
    const { current } = this.connection.state;
    return current.kind === 'signedIn' ? current.service.baseUrl : undefined;
  }

  turnsTo(kind: ConnectionState['kind']): Promise<void> {
    return until(this.connection.state.onDidChange, () => this.kind === kind);
  }

  /** Asks for the computers, which the service gives in full, or not. */
  async isServed(): Promise<boolean> {
    const answer = await this.connection.api?.list('computers').catch(() => undefined);
    return answer !== undefined && answer.items.length > 0 && answer.problems.length === 0;
  }

  /** Runs the command with these answers of the person. */
  async enter(...answers: Answer[]): Promise<void> {
    this.person.answers(...answers);
    await this.connection.commands.signIn();
  }

  /** Signs in the way a person does. */
  signIn({ baseUrl, appUrl }: Addresses, key = CANARY): Promise<void> {
    return this.enter(baseUrl, appUrl, key);
  }

  /** Runs a command that asks whether the person is sure, who is. */
  async surely(command: 'signOut' | 'useSampleService'): Promise<void> {
    this.person.confirms(true);
    await this.connection.commands[command]();
  }
}

/** One machine: what all its windows share. */
export class Machine {
  readonly root = temporaryFolder();
  readonly settings = new SharedSettings();
  readonly secrets: { window(): Secrets };
  readonly #windows: Window[] = [];

  constructor(secrets: { window(): Secrets } = new SharedSecrets()) {
    this.secrets = secrets;
    later(() => this.assertNoCanary());
  }

  window(environment: Environment = {}): Window {
    const surroundings = { secrets: this.secrets.window(), settings: this.settings, environment };
    const window = new Window(path.join(this.root, 'storage'), surroundings);
    this.#windows.push(window);
    return window;
  }

  /** No key in any file, log line, diagnostic, setting or text on the screen. */
  assertNoCanary(): void {
    const places: Record<string, string> = { settings: JSON.stringify(this.settings.now) };
    for (const [n, { connection, person, log, context }] of this.#windows.entries()) {
      places[`log ${n}`] = log.lines.join('\n');
      places[`screen ${n}`] = person.texts.join('\n');
      places[`diagnostics ${n}`] = connection.diagnostics();
      places[`state ${n}`] = JSON.stringify([connection.state.current, context]);
    }
    for (const name of fs.readdirSync(this.root, { recursive: true }).map(String)) {
      const file = path.join(this.root, name);
      places[name] = fs.statSync(file).isFile() ? fs.readFileSync(file, 'utf8') : '';
    }
    for (const [place, text] of Object.entries(places)) {
      for (const canary of [CANARY, OTHER_CANARY])
        assert.equal(text.includes(canary), false, `a key in ${place}`);
      assert.equal(/bearer [a-z0-9]/i.test(text), false, `Bearer in ${place}`);
    }
  }
}

/** A window of a machine whose person has signed in to a service. */
export async function signedIn(secrets = new SharedSecrets()) {
  const running = await service();
  const machine = new Machine(secrets);
  const window = machine.window();
  await window.signIn(running);
  return { running, secrets, machine, window };
}
