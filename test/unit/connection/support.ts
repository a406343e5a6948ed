import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { withCommands, type ConnectionPart } from '../../../src/connection';
import { ServiceConnection } from '../../../src/connection/connection';
import type { Secrets } from '../../../src/connection/keys';
import type { Addresses, ConnectionState, Environment } from '../../../src/connection/decide';
import type { AccessRow, Prompts, Question } from '../../../src/connection/signIn';
import type { NoticeButton } from '../../../src/ui/window';
import { Emitter } from '../../../src/util/lifecycle';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { FaultServer, type Fault } from '../../fakes/faultServer';
import { startSampleService, type SampleService, type SampleServiceOptions } from '../../fakes/sampleService';
import { until } from '../../until';
import { openWindow } from '../storage/support';

/** Keys no text anywhere may hold. */
export const CANARY = 'canary-key-7f3a9b51c2';
export const OTHER_CANARY = 'other-canary-key-d04e88';

/** A running service that takes the canary as its Owner's key. */
export async function service(options: SampleServiceOptions = {}): Promise<SampleService> {
  const running = await startSampleService({ pace: 0, keys: { owner: CANARY }, ...options });
  later(() => running.close());
  return running;
}

/** Another server, which answers everything with this. */
export async function serverOf(fault: Fault): Promise<FaultServer> {
  const server = await FaultServer.start();
  later(() => server.close());
  server.answer(fault);
  return server;
}

/** The address of a port on which nothing listens. */
export async function deadAddress(): Promise<string> {
  const server = await FaultServer.start();
  await server.close();
  return server.origin;
}

export const hostOf = (address: string): string => new URL(address).host;

/**
 * The secrets of a machine. Desktop VS Code has one store, of whose changes every window hears; code-server a copy for each page,
 * written back whole, and nobody hears of anything. Without a key ring storing fails, or seems to work and does not.
 */
export class SecretStore {
  values = new Map<string, string>();
  reads = 0;
  readonly #changed = new Emitter<{ key: string }>();
  readonly #kind;

  constructor(kind: 'shared' | 'copied' | 'throws' | 'forgets' = 'shared') {
    this.#kind = kind;
  }

  window(): Secrets {
    const isCopied = this.#kind === 'copied';
    const own = isCopied ? new Map(this.values) : this.values;
    const change = async (key: string, make: () => unknown): Promise<void> => {
      await Promise.resolve();
      make();
      if (isCopied) this.values = new Map(own);
      else this.#changed.fire({ key });
    };
    const put = (key: string, value: string) => change(key, () => own.set(key, value));
    const fail = (): Promise<never> => Promise.reject(new Error('no key ring'));
    return {
      get: key => Promise.resolve(own.get((this.reads++, key))),
      keys: this.#kind === 'throws' ? fail : () => Promise.resolve([...own.keys()]),
      store: { shared: put, copied: put, throws: fail, forgets: () => Promise.resolve() }[this.#kind],
      delete: key => change(key, () => own.delete(key)),
      onDidChange: this.#changed.event,
    };
  }
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
class Person implements Prompts {
  readonly answers: Answer[] = [];
  /** Whether it is sure, each time that it is asked. */
  readonly sure: boolean[] = [];
  /** Presses this button of the next notice that has it. */
  presses: string | undefined;
  /** Aborts the next thing under way. */
  cancelsProgress = false;
  readonly steps: Question[] = [];
  readonly told: string[] = [];
  readonly confirmed: string[] = [];
  readonly opened: string[] = [];
  table: readonly AccessRow[] = [];

  /** Each question: its number, and what stood in it; of what is secret how long it was. */
  get asked(): string[] {
    const shown = ({ secret, value }: Question) => (secret ? `(secret, ${value.length})` : value);
    return this.steps.map(step => `${step.title.slice('Sign in ('.length, -1)} ${shown(step)}`);
  }

  ask(step: Question): Promise<string | undefined> {
    this.steps.push(step);
    const answer = this.answers.shift();
    assert.ok(answer !== undefined, `No answer to: ${step.prompt} ${step.problem ?? ''}`);
    const value = typeof answer === 'function' ? answer(step) : answer;
    assert.ok(value === 'cancel' || step.validate(value) === undefined);
    return Promise.resolve(value === 'cancel' ? undefined : value);
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
    return Promise.resolve(this.sure.shift() ?? false);
  }

  async showAccess(title: string, read: (signal: AbortSignal) => Promise<readonly AccessRow[]>) {
    this.told.push(title);
    this.table = await read(new AbortController().signal);
  }

  async openExternal(address: string): Promise<void> {
    await Promise.resolve(this.opened.push(address));
  }
}

/** A window with a connection, and the person before it. */
export class Window {
  readonly person = new Person();
  readonly log = silentLog();
  readonly context: Record<string, unknown> = {};
  readonly storage;
  readonly connection: ConnectionPart;

  constructor({ root, secrets, settings }: Machine, environment: Environment) {
    this.storage = openWindow(path.join(root, 'storage'), { log: this.log });
    const setContext = (key: string, value: unknown): void => void (this.context[key] = value);
    const repository = { url: 'https://git.example.com/open/one.git', commits: [] };
    const surroundings = { secrets: secrets.window(), settings, environment, setContext };
    const open = () => Promise.resolve(repository);
    const made = new ServiceConnection(surroundings, this.storage, open, this.log);
    this.connection = withCommands(made, this.person);
    later(() => {
      this.connection.dispose();
      return this.storage.settled();
    });
  }

  get kind(): ConnectionState['kind'] {
    return this.connection.state.current.kind;
  }

  /** Of the service it is signed in to. */
  get address(): string | undefined {
    return this.connection.api && this.connection.state.current.service?.baseUrl;
  }

  /** Resolves once it is in this state, or signed in at this address. */
  turnsTo(state: string | undefined): Promise<void> {
    return until(this.connection.state.onDidChange, () => [this.kind, this.address].includes(state));
  }

  /** Asks for the computers, which the service gives in full, or not. */
  async isServed(): Promise<boolean> {
    const answer = await this.connection.api?.list('computers').catch(() => undefined);
    return answer !== undefined && answer.items.length > 0 && answer.problems.length === 0;
  }

  /** Runs the command with these answers of the person. */
  async enter(...answers: Answer[]): Promise<void> {
    this.person.answers.push(...answers);
    await this.connection.commands.signIn();
  }

  /** Signs in the way a person does. */
  signIn({ baseUrl, appUrl }: Addresses, key = CANARY): Promise<void> {
    return this.enter(baseUrl, appUrl, key);
  }

  /** Signs out, and is sure of it. */
  async signOut(): Promise<void> {
    this.person.sure.push(true);
    await this.connection.commands.signOut();
  }
}

/** One machine: what all its windows share. */
export class Machine {
  readonly root = temporaryFolder();
  readonly settings = new SharedSettings();
  readonly secrets;
  readonly #windows: Window[] = [];

  constructor(secrets = new SecretStore()) {
    this.secrets = secrets;
    later(() => this.#assertNoCanary());
  }

  window(environment: Environment = {}): Window {
    const window = new Window(this, environment);
    this.#windows.push(window);
    return window;
  }

  /** One that knows where things stand. */
  async ready(environment?: Environment): Promise<Window> {
    const window = this.window(environment);
    await window.connection.ready();
    return window;
  }

  /** No key in any file, log line, diagnostic, setting or text on the screen. */
  #assertNoCanary(): void {
    const places = new Map([['settings', JSON.stringify(this.settings.now)]]);
    for (const [n, { connection, person, log, context }] of this.#windows.entries()) {
      const { told, confirmed, opened, table, steps } = person;
      const asked = steps.map(({ title, prompt, problem }) => [title, prompt, problem]);
      const texts = [log.lines, told, confirmed, opened, table, asked, connection.diagnostics()];
      places.set(`window ${n}`, JSON.stringify([texts, connection.state.current, context]));
    }
    for (const name of fs.readdirSync(this.root, { recursive: true }).map(String)) {
      const file = path.join(this.root, name);
      if (fs.statSync(file).isFile()) places.set(name, fs.readFileSync(file, 'utf8'));
    }
    for (const [place, text] of places) {
      for (const canary of [CANARY, OTHER_CANARY])
        assert.equal(text.includes(canary), false, `a key in ${place}`);
      assert.equal(/bearer [a-z0-9]/i.test(text), false, `Bearer in ${place}`);
    }
  }
}

/** A service, and a window of a machine before which somebody sits. */
export async function begin(secrets = new SecretStore()) {
  const running = await service();
  const machine = new Machine(secrets);
  return { running, secrets, machine, window: machine.window() };
}

/** Who has signed in there. */
export async function signedIn(secrets?: SecretStore) {
  const stage = await begin(secrets);
  await stage.window.signIn(stage.running);
  return stage;
}
