import type * as z from 'zod/mini';
import { controlChangeSchema, type ControlChange } from './controls';
import { decodeRows, isRecord, listIn } from './decode';
import { follow, onward, type Page } from './pagination';
import { limitQuery } from './queries';
import type { RedactionRules } from './redaction';
import { lazily, map, open, optional, text } from './schema';
import { v0Get, type RequestOptions, type Service } from './service';

/** Section 2.11. Times are texts as the service writes them. */
export type OrganizationUser = z.output<ReturnType<typeof userSchema>>;

const userSchema = lazily(() =>
  open({
    id: text(),
    email: optional(text()),
    createdAt: optional(text()),
    metadata: optional(map()),
    firstName: optional(text()),
    lastName: optional(text()),
    lastSignInAt: optional(text()),
  }),
);

export interface PageOptions {
  /** Rows a page, 1-100; as many as the interface allows when left out. */
  readonly limit?: number | undefined;
}

/** Sections 4.3 and 4.4. Iterating asks for one page at a time and rejects with `ApiError` or `QueryError`. */
export class Organization {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  users(options: PageOptions = {}, request: RequestOptions = {}): AsyncIterable<Page<OrganizationUser>> {
    return this.#pages('/organization/users', 'users', userSchema(), 'id', options, request);
  }

  /** In the service's order. */
  controlHistory(
    options: PageOptions = {},
    request: RequestOptions = {},
  ): AsyncIterable<Page<ControlChange>> {
    const path = '/organization/enterprise-controls/history';
    return this.#pages(path, 'changes', controlChangeSchema(), 'revision', options, request);
  }

  async *#pages<S extends z.ZodMiniType>(
    path: string,
    name: string,
    schema: S,
    idName: string,
    { limit = 100 }: PageOptions,
    { signal }: RequestOptions,
  ): AsyncGenerator<Page<z.output<S>>, void, undefined> {
    const { http, redactor } = this.#service;
    const size = limitQuery(limit);
    yield* follow<Page<z.output<S>>>(cursor =>
      http.request(
        v0Get(this.#service, path, { limit: size, cursor }),
        answer => ({
          ...decodeRows(
            schema,
            redactor.redact(listIn(answer, name), RULES) as unknown[],
            row => row[idName],
          ),
          hasMore: false,
          onward: onward(isRecord(answer) ? answer['pagination'] : undefined, 'hasMore', 'nextCursor'),
        }),
        signal,
      ),
    );
  }
}

const RULES: RedactionRules = { texts: true };
