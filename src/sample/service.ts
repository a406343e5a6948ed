import { randomUUID } from 'node:crypto';
import { type IDisposable } from '../util/disposable';
import { type Event } from '../util/event';
import { Analytics } from './analytics';
import { Computers } from './computers';
import { Faults, type Fault } from './faults';
import { pastSessionIds, pastSessions } from './history';
import { sampleKeys, type SampleKeys } from './keys';
import { Organization } from './organization';
import { people } from './people';
import { Ports } from './ports';
import { repositories, type OpenCommit } from './readiness';
import { Recorder, type RecordedRequest } from './recorder';
import { Responder } from './responder';
import { routes } from './routes';
import { SessionsStore } from './sessionsStore';
import { readState, StateFile, type SavedState } from './stateFile';
import { Waits } from './waits';

export interface SampleServiceOptions {
  /** What all generated data depends on, with the date; `agent-console` by default. */
  readonly seed?: string;
  /** The clock, Unix ms; `Date.now` by default. */
  readonly now?: () => number;
  /** Port of `baseUrl`; any free one by default. */
  readonly port?: number;
  /** Port of `appUrl`; any free one by default. */
  readonly appPort?: number;
  /** Address of the open folder's remote, in any form: it gets a series of readiness reports. */
  readonly openRepositoryUrl?: string;
  /** What was checked out of it when, the oldest first: its reports name the commit of their time. */
  readonly openRepositoryCommits?: readonly OpenCommit[];
  /** Agents and provisioning take this multiple of their natural time (6-10 s, 40 s); 1 by default, 0 for at once. */
  readonly pace?: number;
  /** File that keeps sessions and messages from run to run, for one service at a time; without it they live in memory. */
  readonly stateFile?: string;
  /** Credentials to accept. What is left out follows from the seed, so any program on this machine can know it. */
  readonly keys?: Partial<SampleKeys>;
  /** Serves the lists that only some services offer (interface-notes, extras); not by default. */
  readonly extras?: boolean;
}

/** A running sample service. */
export interface SampleService {
  /** `http://127.0.0.1:PORT`: everything but readiness. */
  readonly baseUrl: string;
  /** `http://127.0.0.1:PORT`: readiness reports. */
  readonly appUrl: string;
  /** The key of an Owner. */
  readonly apiKey: string;
  readonly keys: SampleKeys;
  /** Sessions that exist from the start, for adding by id. */
  readonly sessionIds: readonly string[];
  /** The last 1,000 requests, the oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Fires when a request has arrived whole, before it is answered. */
  readonly onDidReceive: Event<RecordedRequest>;
  /** Makes requests fail until disposed or used up. */
  fail(fault: Fault): IDisposable;
  /** Resolves when no agent is working any more, or the service is closed. */
  settle(): Promise<void>;
  /** Ends every connection and timer, keeps the state and lets go of the ports; rejects if keeping fails. May be called again. */
  close(): Promise<void>;
}

/**
 * Serves the documented interface with generated data on two loopback ports. Rejects when a port is taken or the state file
 * cannot be read.
 */
export async function startSampleService(options: SampleServiceOptions = {}): Promise<SampleService> {
  const ports = new Ports();
  await ports.open(options.port ?? 0, options.appPort ?? 0);
  try {
    // Only whoever has the ports reads the file: the service before has written all of it by then.
    const saved = options.stateFile === undefined ? undefined : await readState(options.stateFile);
    return new Service(options, ports, saved);
  } catch (error) {
    await ports.close();
    throw error;
  }
}

class Service implements SampleService {
  readonly keys: SampleKeys;
  readonly sessionIds: readonly string[];
  readonly #now: () => number;
  readonly #recorder = new Recorder();
  readonly #faults = new Faults();
  readonly #ports: Ports;
  readonly #sessions: SessionsStore;
  readonly #stateFile: StateFile | undefined;
  readonly #waits = new Waits();
  #unsaved = false;
  #closed = false;
  #closing: Promise<void> | undefined;

  constructor(options: SampleServiceOptions, ports: Ports, saved: SavedState | undefined) {
    const { seed = 'agent-console', now = Date.now, pace = 1 } = options;
    this.#now = now;
    this.#ports = ports;
    this.keys = { ...sampleKeys(seed), ...options.keys };
    this.sessionIds = pastSessionIds(seed);
    const changed = (): void => {
      this.#unsaved = true;
    };
    const computers = new Computers({ seed, now, pace, firstSeen: saved?.computerFirstSeen, changed });
    const past = pastSessions(seed, now(), { hosted: computers.idOf('atlas'), own: computers.idOf('dune') });
    this.#sessions = new SessionsStore({
      sessions: [...past, ...(saved?.sessions ?? [])],
      now,
      pace,
      newId: randomUUID,
      changed,
    });
    if (options.stateFile !== undefined) {
      this.#stateFile = new StateFile(options.stateFile, () => ({
        sessions: this.#sessions.states,
        ...(computers.firstSeen === undefined ? {} : { computerFirstSeen: computers.firstSeen }),
      }));
    }
    const everyone = people(seed);
    const responder = new Responder({
      routes: routes({
        seed,
        now,
        analytics: new Analytics(seed, everyone),
        computers,
        organization: new Organization(seed, everyone, now),
        repositories: repositories(seed, options.openRepositoryUrl, options.openRepositoryCommits),
        sessions: this.#sessions,
        extras: options.extras ?? false,
      }),
      keys: this.keys,
      now,
      recorder: this.#recorder,
      faults: this.#faults,
      waits: this.#waits,
      keep: () => this.#save(),
    });
    ports.serve((origin, request, response) => responder.serve(origin, request, response));
  }

  get baseUrl(): string {
    return this.#ports.address('base');
  }

  get appUrl(): string {
    return this.#ports.address('app');
  }

  get apiKey(): string {
    return this.keys.owner;
  }

  get requests(): readonly RecordedRequest[] {
    return this.#recorder.requests;
  }

  get onDidReceive(): Event<RecordedRequest> {
    return this.#recorder.onDidReceive;
  }

  fail(fault: Fault): IDisposable {
    return this.#faults.add(fault);
  }

  async settle(): Promise<void> {
    for (;;) {
      const until = this.#closed ? undefined : this.#sessions.busyUntil;
      if (until === undefined) return;
      await this.#waits.wait(Math.min(50, Math.max(1, until - this.#now())));
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /** The ports are let go last: whoever takes them next reads the state file. */
  async #shutDown(): Promise<void> {
    this.#closed = true;
    this.#faults.dispose();
    this.#recorder.dispose();
    this.#ports.disconnect();
    this.#waits.dispose();
    try {
      await this.#save();
      await this.#stateFile?.idle();
    } finally {
      await this.#ports.close();
    }
  }

  async #save(): Promise<void> {
    if (!this.#unsaved) return;
    this.#unsaved = false;
    try {
      await this.#stateFile?.save();
    } catch (error) {
      this.#unsaved = true;
      throw error;
    }
  }
}
