import type { Collection, Storage } from '../storage';
import { readSettings, type SendableSettings } from './fields';

/** What a person chose for the last new session. */
export interface Choices {
  readonly computerId?: string | undefined;
  readonly settings: SendableSettings;
}

const ID = 'create';

/** The choices of the last new session at a service, shared by all windows. */
export class RememberedChoices {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async read(serviceId: string): Promise<Choices> {
    return (await this.#of(serviceId).load()).get(ID) ?? { settings: {} };
  }

  async remember(serviceId: string, choices: Choices): Promise<void> {
    await this.#of(serviceId).put(ID, choices);
  }

  #of(serviceId: string): Collection<Choices> {
    return this.#storage.collection<Choices>({ path: `services/${serviceId}/choices`, version: 1, decode });
  }
}

function decode(value: unknown): Choices {
  if (typeof value !== 'object' || value === null) throw new Error('It is not an object.');
  const { computerId, settings } = value as Partial<Record<keyof Choices, unknown>>;
  const known = readSettings(settings).settings;
  return typeof computerId === 'string' ? { computerId, settings: known } : { settings: known };
}
