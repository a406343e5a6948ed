import type * as z from 'zod/mini';
import { decodeRows, decodeSingle, listIn, type Listed } from './decode';
import { idSegment } from './queries';
import { lazily, list, number, open, optional, text } from './schema';
import { reportTo, v0Get, type RequestOptions, type Service } from './service';

/** A step of setting a computer up; `status` is open, `startedAt` and `completedAt` are Unix ms (section 2.10). */
export type ProvisioningStep = z.output<ReturnType<typeof stepSchema>>;

/** Section 2.10. `createdAt` is Unix ms; relay addresses arrive redacted. */
export type Computer = z.output<ReturnType<typeof computerSchema>>;

const stepSchema = lazily(() =>
  open({
    id: optional(text()),
    name: optional(text()),
    status: optional(text()),
    error: optional(text()),
    startedAt: optional(number()),
    completedAt: optional(number()),
  }),
);

const computerSchema = lazily(() =>
  open({
    id: text(),
    name: text(),
    providerType: text(),
    createdAt: number(),
    hostname: optional(text()),
    status: optional(text()),
    provisioningSteps: optional(list(stepSchema())),
    relayClientUrl: optional(text()),
    relayAgentUrl: optional(text()),
    remoteUser: optional(text()),
  }),
);

/** Computers that were stored, as far as they can be read. Changes `value` where parts of it do not fit. */
export function readComputers(value: unknown): readonly Computer[] {
  return decodeRows(computerSchema(), Array.isArray(value) ? (value as unknown[]) : [], row => row['id'])
    .items;
}

/** Sections 4.9 and 4.10. */
export class Computers {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** All computers, in no promised order. */
  list({ signal }: RequestOptions = {}): Promise<Listed<Computer>> {
    const { http } = this.#service;
    return http.request(
      v0Get(this.#service, '/computers'),
      answer => decodeRows(computerSchema(), this.#safe(listIn(answer, 'computers')), row => row['id']),
      signal,
    );
  }

  /** Rejects with `QueryError` for an empty id. */
  async get(computerId: string, { signal }: RequestOptions = {}): Promise<Computer> {
    const { http, log } = this.#service;
    return http.request(
      v0Get(this.#service, `/computers/${idSegment('computerId', computerId)}`),
      answer => decodeSingle(computerSchema(), this.#safe(answer), reportTo(log, 'Computer')),
      signal,
    );
  }

  #safe<T>(answer: T): T {
    return this.#service.redactor.redact(answer, { texts: true }) as T;
  }
}
