import { DAY_MS, EARLIEST_DAY } from './days';
import { type Member } from './people';
import { seeded, type Random } from './random';

/** An entry of the control history (interface 2.12); `settings` is the whole state after the change. */
export interface ControlChange {
  readonly revision: number;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  /** ISO 8601, UTC. */
  readonly updatedAt: string;
}

/** What one revision sets: a dotted path and its value; `undefined` takes the setting away. */
type Step = Readonly<Record<string, unknown>>;

/** About one a week: 45 by 20 November 2026. */
const INTERVAL_MS = Math.round(7.04 * DAY_MS);

/** Every revision up to `now`, the newest first. Old ones never change. */
export function controlHistory(seed: string, admins: readonly Member[], now: number): ControlChange[] {
  const script = steps(seeded(seed, 'controls'));
  const changes: ControlChange[] = [];
  let settings: Record<string, unknown> = {};
  for (let revision = 1; ; revision++) {
    const random = seeded(seed, 'revision', revision);
    const at =
      EARLIEST_DAY * DAY_MS +
      (revision - 1) * INTERVAL_MS +
      random.int(8, 13) * 3600_000 +
      random.int(0, 3_599_999);
    if (at > now) break;
    settings = apply(settings, script[revision - 1] ?? later(revision));
    const admin = admins[random.int(0, admins.length - 1)];
    changes.push({
      revision,
      settings,
      user: {
        id: admin?.id ?? '',
        email: admin?.email ?? '',
        name: `${admin?.firstName ?? ''} ${admin?.lastName ?? ''}`.trim(),
      },
      updatedAt: new Date(at).toISOString(),
    });
  }
  return changes.reverse();
}

/** What goes on changing after the script is through. */
function later(revision: number): Step {
  return { sessionRetentionDays: [30, 60, 90][revision % 3], enableAgentShield: revision % 2 === 0 };
}

function apply(settings: Readonly<Record<string, unknown>>, step: Step): Record<string, unknown> {
  const result = structuredClone(settings) as Record<string, unknown>;
  for (const [path, value] of Object.entries(step)) {
    const names = path.split('.');
    const last = names.pop() ?? path;
    let place = result;
    for (const name of names) {
      const inner = place[name];
      place =
        typeof inner === 'object' && inner !== null
          ? (inner as Record<string, unknown>)
          : (place[name] = {} as Record<string, unknown>);
    }
    if (value === undefined) Reflect.deleteProperty(place, last);
    else place[last] = value;
  }
  return result;
}

function steps(random: Random): readonly Step[] {
  const secret = (): string => `sample-secret-${random.hex(24)}`;
  const gateway = {
    model: 'acme-house-model',
    baseUrl: 'https://models.acme.example/v1',
    apiKey: secret(),
    provider: 'compatible',
    id: 'house-0',
    index: 0,
    displayName: 'Acme house model',
    maxContextLimit: 128_000,
    enableThinking: true,
    thinkingMaxTokens: 8_000,
    maxOutputTokens: 16_000,
    reasoningEffort: 'medium',
    extraHeaders: { 'X-Gateway-Key': secret(), Authorization: `Bearer ${secret()}` },
    extraArgs: { temperature: 0.2, signing_token: secret() },
    noImageSupport: false,
  };
  const nightly = {
    model: 'acme-nightly',
    baseUrl: 'https://nightly.models.acme.example/v1',
    apiKey: secret(),
    provider: 'compatible',
    displayName: 'Nightly (no images)',
    noImageSupport: true,
  };
  return [
    { maxAutonomyLevel: 'medium', cloudSessionSync: true, sessionRetentionDays: 90 },
    { 'sessionDefaultSettings.model': 'onyx-large', 'sessionDefaultSettings.reasoningEffort': 'low' },
    { commandDenylist: ['rm -rf /', 'git push --force'], includeCoAuthoredByAgent: true },
    { commandAllowlist: ['npm test', 'npm run lint', 'git status', 'git diff'] },
    { managedComputersEnabled: true, byomComputersEnabled: false },
    { mcpPolicy: { enabled: false, allowlist: [] } },
    { enableAgentShield: true, restrictMemberVisibility: false },
    { 'modelPolicy.allowedModelIds': ['onyx-large', 'onyx-mini', 'lumen-thinking', 'lumen-fast'] },
    { 'modelPolicy.allowCustomModels': false, 'modelPolicy.allowAllFactoryModels': true },
    { ideAutoConnect: true, wikiCloudSync: false },
    { 'networkPolicy.allowedIps': ['203.0.113.0/24'] },
    { mcpPolicy: { enabled: true, allowlist: ['issue-tracker', 'docs-search'] } },
    {
      'sessionDefaultSettings.autonomyLevel': 'medium',
      'sessionDefaultSettings.autonomyMode': 'auto-medium',
    },
    { 'sandbox.enabled': true, 'sandbox.mode': 'per-command' },
    {
      'sandbox.filesystem': { allowWrite: ['.'], allowRead: ['.'], denyWrite: ['.git'], denyRead: ['.env'] },
    },
    { byomComputersEnabled: true, sessionRetentionDays: 60 },
    { 'sandbox.network.allowedDomains': ['registry.acme.example', 'git.example.com'] },
    { 'modelPolicy.allowCustomModels': true, 'modelPolicy.allowedBaseUrls': ['https://models.acme.example'] },
    { customModels: [gateway] },
    { 'missionPolicy.restrictedAccess': true, 'missionPolicy.allowedUserIds': [`user_${random.hex(20)}`] },
    { 'modelPolicy.allowedModelIds': ['onyx-large', 'onyx-mini', 'lumen-thinking', 'quill-thinking'] },
    { 'sessionDefaultSettings.specModeModel': 'quill-thinking' },
    { 'sessionDefaultSettings.specModeReasoningEffort': 'high' },
    { commandAllowlist: ['npm test', 'npm run lint', 'npm run build', 'git status', 'git diff', 'git log'] },
    { enabledPlugins: { 'review-kit@acme': true, 'release-notes@acme': true } },
    { extraKnownMarketplaces: { acme: { source: { source: 'git', repo: 'acme/agent-plugins' } } } },
    { strictKnownMarketplaces: [{ source: 'git', repo: 'acme/agent-plugins' }] },
    { mcpPolicy: { enabled: true, allowlist: ['issue-tracker', 'docs-search', 'browser', 'database'] } },
    { mcpAutonomyOverrides: { 'issue-tracker': 'auto-high', database: 'manual' } },
    {
      'sandbox.network.allowUnixSockets': ['/var/run/postgresql'],
      'sandbox.network.allowLocalBinding': true,
    },
    { 'sandbox.network.httpProxyPort': 3128, 'sandbox.network.socksProxyPort': 1080 },
    { customModels: [{ ...gateway, apiKey: secret() }] },
    { customModels: [{ ...gateway, apiKey: secret(), maxOutputTokens: 32_000 }, nightly] },
    { userModelPolicies: { [`user_${random.hex(20)}`]: { blockedModelIds: ['quill-thinking'] } } },
    { 'modelPolicy.isFastModelsAllowed': true, 'modelPolicy.blockedModelIds': [] },
    { maxAutonomyLevel: 'high', 'sessionDefaultSettings.interactionMode': 'auto' },
    { 'modelPolicy.blockedModelIds': ['lumen-fast'], 'modelPolicy.isFastModelsAllowed': false },
    { 'sandbox.network.allowAllUnixSockets': false, 'sandbox.network.allowLocalBinding': false },
    { 'networkPolicy.allowedIps': ['203.0.113.0/24', '198.51.100.7', '2001:db8:40::/48'] },
    { restrictMemberVisibility: true },
    { 'sessionDefaultSettings.reasoningEffort': 'medium', wikiCloudSync: true },
    { 'missionPolicy.restrictedAccess': false, 'missionPolicy.allowedUserIds': [] },
    { customModels: [{ ...gateway, apiKey: secret(), maxOutputTokens: 32_000 }] },
    { commandDenylist: ['rm -rf /', 'git push --force', 'curl * | sh'], includeCoAuthoredByAgent: false },
    {
      maxAutonomyLevel: 'medium',
      'sandbox.filesystem.denyRead': ['.env', '**/secrets/**'],
      ideAutoConnect: undefined,
    },
  ];
}
