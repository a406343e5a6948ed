import { type Access } from './keys';
import { type Origin } from './recorder';
import { Refusal } from './validate';

/** What a route is given; it reads and checks the rest itself. */
export interface Call {
  /** The parts of the path that are not fixed, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export interface Route {
  readonly origin: Origin;
  readonly method: 'GET' | 'POST';
  /** Segments; `*` stands for one that varies. */
  readonly path: string;
  readonly access: Access;
  /** Status of a successful answer. */
  readonly status: number;
  /** The body of the answer; a `Refusal` thrown becomes an error answer. */
  readonly answer: (call: Call) => unknown;
}

/** The route of a request: 404 where no route of this address has the path, 405 where one has it for another method. */
export function findRoute(
  routes: readonly Route[],
  origin: Origin,
  method: string,
  path: string,
): { readonly route: Route; readonly parts: readonly string[] } {
  const allowed: string[] = [];
  for (const route of routes) {
    const parts = route.origin === origin ? match(route.path, path) : undefined;
    if (parts === undefined) continue;
    if (route.method === method) return { route, parts };
    allowed.push(route.method);
  }
  if (allowed.length > 0) {
    throw new Refusal(405, `${method} is not offered here.`, { Allow: allowed.join(', ') });
  }
  throw new Refusal(404, 'There is no such endpoint.');
}

/** The varying segments, decoded; `undefined` where the path is another. */
function match(pattern: string, path: string): readonly string[] | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const parts: string[] = [];
  for (const [index, segment] of wanted.entries()) {
    const found = given[index] ?? '';
    if (segment !== '*') {
      if (segment !== found) return undefined;
    } else {
      const decoded = decode(found);
      if (decoded === undefined || decoded === '') return undefined;
      parts.push(decoded);
    }
  }
  return parts;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
