import * as z from 'zod/mini';
import { openObject, recordSchema, ifFits, into } from '../api';
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
    const path = `services/${serviceId}/choices`;
    return this.#storage.collection<Choices>({ path, version: 1, schema: choicesSchema });
  }
}

const choicesSchema = recordSchema(() =>
  openObject({
    computerId: ifFits(z.string()),
    settings: into(z.unknown(), value => readSettings(value).settings),
  }),
);
