import type * as z from 'zod';
import { decodeRows, decodeSingle, listIn, type Listed } from './decode';
import { idSegment } from './queries';
import { lazily, list, number, open, text } from './schema';
import { reportTo, v0Get, type RequestOptions, type Service } from './service';

/** A step of setting a computer up; `status` is open, `startedAt` and `completedAt` are Unix ms (section 2.10). */
export type ProvisioningStep = z.output<ReturnType<typeof stepSchema>>;

/** Section 2.10. `createdAt` is Unix ms; relay addresses arrive redacted. */
export type Computer = z.output<ReturnType<typeof computerSchema>>;

const stepSchema = lazily(() =>
  open({
    id: text().optional(),
    name: text().optional(),
    status: text().optional(),
    error: text().optional(),
    startedAt: number().optional(),
    completedAt: number().optional(),
  }),
);

const computerSchema = lazily(() =>
  open({
    id: text(),
    name: text(),
    providerType: text(),
    createdAt: number(),
    hostname: text().optional(),
    status: text().optional(),
    provisioningSteps: list(stepSchema()).optional(),
    relayClientUrl: text().optional(),
    relayAgentUrl: text().optional(),
    remoteUser: text().optional(),
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
