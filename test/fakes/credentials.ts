import { type Answer, errorAnswer } from './faults';

/** Whose credential came along. */
export type Credential = 'owner' | 'member' | 'jwt' | 'invalid' | 'none';

/** Credentials the service accepts. */
export interface SampleKeys {
  /** An API key of someone with the Owner role. */
  readonly owner: string;
  /** An API key of a plain member: everything but analytics. */
  readonly member: string;
  /** An access token: the `/api/v0` endpoints only. */
  readonly jwt: string;
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The keys unless others are given. */
export const usualKeys: SampleKeys = {
  owner: 'sample_owner_5f0c9d6a1be24783',
  member: 'sample_member_c1d2e3f4a5b60798',
  jwt: `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: 'user_1', role: 'owner' })}.c2lnbmF0dXJl`,
};

/** Whose credential an `Authorization` header holds. */
export function credentialOf(header: string | undefined, keys: SampleKeys): Credential {
  if (header === undefined) return 'none';
  const token = /^bearer +(\S+)$/i.exec(header)?.[1];
  return (['owner', 'member', 'jwt'] as const).find(name => keys[name] === token) ?? 'invalid';
}

/** The refusal of a credential that may not ask for a path (interface section 5); `undefined` for one that may. */
export function refusalOf(credential: Credential, path: string, requestId: string): Answer | undefined {
  const refuse = (detail: string): Answer =>
    errorAnswer(401, detail, requestId, { 'WWW-Authenticate': 'Bearer' });
  if (credential === 'none') return refuse('The Authorization header is missing.');
  if (credential === 'invalid') return refuse('The API key or access token is not valid.');
  if (path.startsWith('/api/v0/')) return undefined;
  if (credential === 'jwt') return refuse('This endpoint takes an API key, not an access token.');
  if (credential === 'member' && path.startsWith('/api/v1/analytics/')) {
    return errorAnswer(403, 'Analytics needs the Manager or Owner role.', requestId);
  }
  return undefined;
}
