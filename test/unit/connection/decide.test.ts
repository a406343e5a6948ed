import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Environment } from '../../../src/connection/addresses';
import { decide, type Target } from '../../../src/connection/decide';
import { SAMPLE } from '../../../src/connection/clients';

const one = { baseUrl: 'https://api.one.example', appUrl: 'https://app.one.example' };
const two = { baseUrl: 'https://api.two.example', appUrl: 'https://app.two.example' };
const [BASE, APP, KEY] = [
  'AGENT_CONSOLE_BASE_URL',
  'AGENT_CONSOLE_APP_URL',
  'AGENT_CONSOLE_API_KEY',
] as const;
const wholeEnvironment = { [BASE]: ` ${two.baseUrl}/ `, [APP]: two.appUrl, [KEY]: ' of-environment ' };

interface Case {
  readonly environment?: Environment;
  readonly settings?: { readonly baseUrl: string; readonly appUrl: string };
  readonly sample?: boolean;
  readonly key?: string | undefined;
  readonly refused?: string;
}

async function decided({ environment = {}, settings, sample = false, key, refused }: Case): Promise<Target> {
  const { baseUrl, appUrl } = settings ?? { baseUrl: '', appUrl: '' };
  const rejection = (_service: string, given: string) =>
    given === refused ? { status: 401, requestId: 'req_1' } : undefined;
  return decide({
    environment,
    settings: { baseUrl: () => baseUrl, appUrl: () => appUrl },
    records: { isSampleChosen: sample, rejection },
    keys: { read: () => Promise.resolve(key) },
  });
}

/** `source baseUrl key`, or the kind with its reason. */
function inWords({ state, key }: Target): string {
  if (state.kind !== 'signedIn') return `${state.kind}: ${state.reason ?? ''}`;
  return `${state.service.source} ${state.service.baseUrl} ${state.service.appUrl} ${key}`;
}

describe('which service and which key', () => {
  const cases: readonly (readonly [string, Case, string | RegExp])[] = [
    ['nothing', {}, 'signedOut: '],
    ['settings and key', { settings: one, key: 'k' }, `settings ${one.baseUrl} ${one.appUrl} k`],
    ['no key', { settings: one }, 'signedOut: There is no key for api.one.example. Sign in to enter one.'],
    [
      'an address alone: the other follows from it',
      { settings: { baseUrl: 'https://api.one.example/', appUrl: '' }, key: 'k' },
      `settings ${one.baseUrl} ${one.appUrl} k`,
    ],
    [
      'the sample over the settings',
      { settings: one, key: 'k', sample: true },
      `sample ${SAMPLE.baseUrl} ${SAMPLE.appUrl} ${SAMPLE.key}`,
    ],
    [
      'the environment over all, with its own key',
      { environment: wholeEnvironment, settings: one, sample: true, key: 'k' },
      `environment ${two.baseUrl} ${two.appUrl} of-environment`,
    ],
    [
      'the environment with a stored key',
      { environment: { [BASE]: two.baseUrl }, settings: one, sample: true, key: 'k' },
      `environment ${two.baseUrl} ${two.appUrl} k`,
    ],
    [
      'a refused key',
      { settings: one, key: 'k', refused: 'k' },
      'keyRejected: The key was not accepted by api.one.example (401, request req_1). Enter it again or check it in the web application.',
    ],
    [
      'a refused key of the environment',
      { environment: wholeEnvironment, refused: 'of-environment' },
      /^keyRejected: The key in AGENT_CONSOLE_API_KEY was not accepted by .* Run Refresh .* reload the window\.$/,
    ],
    ['another key than the refused one', { settings: one, key: 'k', refused: 'j' }, /^settings /],
    [
      'no address',
      { settings: { baseUrl: 'not an address', appUrl: '' } },
      /^signedOut: agentConsole\.baseUrl: This is not an address/,
    ],
    ...(
      [
        [{ [KEY]: 'k' }, /^signedOut: AGENT_CONSOLE_API_KEY is set, but AGENT_CONSOLE_BASE_URL is not/],
        [{ [APP]: two.appUrl }, /^signedOut: AGENT_CONSOLE_APP_URL is set, but/],
        [{ [BASE]: 'http://x.example' }, /AGENT_CONSOLE_BASE_URL: The address must begin with https/],
        [{ [BASE]: two.baseUrl, [KEY]: 'a\nb' }, /AGENT_CONSOLE_API_KEY: This is not a key/],
      ] as const
    ).map(([environment, says]): (typeof cases)[number] => [
      `half an environment hides the rest: ${Object.keys(environment).join(' ')}`,
      { environment, settings: one, key: 'k', sample: true },
      says,
    ]),
  ];
  for (const [name, given, expected] of cases) {
    it(name, async () => {
      const words = inWords(await decided(given));
      if (typeof expected === 'string') assert.equal(words, expected);
      else assert.match(words, expected);
    });
  }

  it('never sends a stored key anywhere but to the addresses in force, nor one that was refused', () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          environment: fc.constantFrom({}, { [BASE]: two.baseUrl }, { [KEY]: 'e' }, wholeEnvironment),
          settings: fc.constantFrom(one, two, { baseUrl: '', appUrl: '' }, { baseUrl: 'x y', appUrl: '' }),
          sample: fc.boolean(),
          key: fc.constantFrom(undefined, 'k'),
          refused: fc.constantFrom('', 'k', 'of-environment'),
        }),
        async given => {
          const { state, key } = await decided(given);
          if (state.kind !== 'signedIn') return;
          assert.notEqual(key, given.refused);
          const { source, baseUrl } = state.service;
          if (key === 'k')
            assert.equal(baseUrl, source === 'environment' ? two.baseUrl : given.settings.baseUrl);
          if (BASE in given.environment) assert.equal(source, 'environment');
        },
      ),
    ));
});
