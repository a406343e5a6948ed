import { type Credential } from './recorder';
import { seeded } from './random';
import { Refusal } from './validate';

/** Credentials the service accepts. */
export interface SampleKeys {
  /** An API key of someone with the Owner role. */
  readonly owner: string;
  /** An API key of a plain member: everything but analytics. */
  readonly member: string;
  /** An access token: the `/api/v0` endpoints only. */
  readonly jwt: string;
}

/** What a route asks of a credential: anything valid, an API key, or an API key of a Manager or Owner. */
export type Access = 'any' | 'apiKey' | 'manager';

/** The keys of a seed, the same each time. */
export function sampleKeys(seed: string): SampleKeys {
  const random = seeded(seed, 'keys');
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return {
    owner: `sample_owner_${random.hex(32)}`,
    member: `sample_member_${random.hex(32)}`,
    jwt: [
      part({ alg: 'HS256', typ: 'JWT' }),
      part({ sub: `user_${random.hex(20)}`, role: 'owner', iat: 1_768_348_800 }),
      Buffer.from(random.hex(64), 'hex').toString('base64url'),
    ].join('.'),
  };
}

/** Whose credential an `Authorization` header holds. */
export function credentialOf(header: string | undefined, keys: SampleKeys): Credential {
  if (header === undefined) return 'none';
  const token = /^bearer +(\S+)$/i.exec(header)?.[1];
  if (token === keys.owner) return 'owner';
  if (token === keys.member) return 'member';
  return token === keys.jwt ? 'jwt' : 'invalid';
}

/** Refuses a credential that may not use a route (interface section 5). */
export function admit(credential: Credential, access: Access): void {
  const refuse = (detail: string): never => {
    throw new Refusal(401, detail, { 'WWW-Authenticate': 'Bearer' });
  };
  if (credential === 'none') refuse('The Authorization header is missing.');
  if (credential === 'invalid') refuse('The API key or access token is not valid.');
  if (access === 'any') return;
  if (credential === 'jwt') refuse('This endpoint takes an API key, not an access token.');
  if (access === 'manager' && credential === 'member') {
    throw new Refusal(403, 'Analytics needs the Manager or Owner role.');
  }
}
