import type { Profile } from './people';
import { dayText, EARLIEST_DAY, dayOf, seeded, split, type Random } from './random';

/** Names with whole numbers above zero. */
export type Counts = readonly (readonly [name: string, count: number])[];

/** What one person did on one UTC day. Every analytics row is a sum of these, so all rows agree. */
export type PersonDay = ReturnType<typeof personDay>;

export const CLIENTS = ['terminal-ui', 'web', 'non-interactive-cli'] as const;
const LEVELS = ['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual'] as const;

const on = (text: string): number => dayOf(Date.parse(text));

/** The models on offer; one comes in June 2026 while one leaves in September. */
export const MODELS = [
  { id: 'onyx-large', tier: 'standard', from: EARLIEST_DAY, until: Infinity },
  { id: 'onyx-mini', tier: 'standard', from: EARLIEST_DAY, until: Infinity },
  { id: 'lumen-thinking', tier: 'thinking', from: EARLIEST_DAY, until: Infinity },
  { id: 'lumen-fast', tier: 'standard', from: EARLIEST_DAY, until: on('2026-09-15') },
  { id: 'quill-thinking', tier: 'thinking', from: on('2026-06-02'), until: Infinity },
] as const;

export const HOOKS = [
  { event: 'PostToolUse', matcher: 'Edit|Create', command: 'npm run format' },
  { event: 'PostToolUse', matcher: 'Execute', command: './scripts/audit-command.sh' },
  { event: 'Notification', matcher: '', command: './scripts/notify.sh "agent is waiting"' },
  { event: 'Stop', matcher: '', command: 'npm test -- --changed' },
  { event: 'SubagentStop', matcher: '', command: './scripts/notify.sh' },
  { event: 'SessionEnd', matcher: '', command: 'node tools/session-report.js' },
];

const TOOLS = Object.entries({
  ...{ Read: 30, Execute: 22, Edit: 18, Grep: 12, Glob: 5, ListFolder: 5, Create: 4, Plan: 4 },
  ...{ WebSearch: 2, FetchUrl: 1, Subagent: 1 },
});
const SERVERS = ['issue-tracker', 'docs-search', 'browser', 'design-files', 'database'];
const SKILLS = ['write-tests', 'release-notes', 'security-review', 'migrate-component', 'explain-code'];
const SLASH_COMMANDS = ['/review', '/compact', '/model', '/readiness-report', '/cost', '/help'];
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  TypeScript: ['.ts', '.tsx'],
  Python: ['.py'],
  Go: ['.go'],
  Rust: ['.rs'],
  SQL: ['.sql'],
  CSS: ['.css'],
  Markdown: ['.md'],
  YAML: ['.yml', '.yaml'],
};
/** Tool names as a faulty parser leaves them, now and then. */
const ARTEFACTS = ['Read</tool>\n<parameter name="path">', 'Execute"},{"name":"', '$(echo Grep)'];

const WEEK = [0.07, 0.95, 1.08, 1.05, 1, 0.84, 0.11];
const HOLIDAYS = new Set(['01-01', '05-01', '12-25', '12-26']);

export function languageOf(extension: string): string {
  return Object.keys(EXTENSIONS).find(language => EXTENSIONS[language]?.includes(extension)) ?? 'Other';
}

/** Whether someone did anything on a day; depends on the seed, the day and the person only. */
export function isActive(seed: string, day: number, profile: Profile): boolean {
  if (day < profile.firstDay || day > profile.lastDay || HOLIDAYS.has(dayText(day).slice(5))) return false;
  return profile.rate >= 1 || seeded(seed, 'active', day, profile.id).next() < profile.rate * weekday(day);
}

/** Everyone who was active on a day, in the order of their ids. Past days never change. */
export function factsOf(seed: string, day: number, profiles: readonly Profile[]): PersonDay[] {
  return profiles
    .filter(profile => isActive(seed, day, profile))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(profile => personDay(seed, day, profile));
}

function weekday(day: number): number {
  return WEEK[(day + 4) % 7] ?? 1;
}

/** Counts and figures are in the names of the interface (2.4-2.6) where they are added up as they are. */
function personDay(seed: string, day: number, profile: Profile) {
  const random = seeded(seed, 'facts', day, profile.id);
  const growth = 0.7 + Math.max(0, day - EARLIEST_DAY) / 500;
  const sessions = random.int(1, weekday(day) < 0.5 ? 2 : 6);
  const userMessages = Array.from({ length: sessions }, () => random.int(2, 8)).reduce((a, b) => a + b, 0);
  const ratio = profile.autonomy * (0.7 + random.next() * 0.6) * Math.min(1.5, growth);
  const toolCalls = Math.max(1, Math.round(userMessages * ratio));
  const mcpCalls = Math.round(toolCalls * profile.mcp * random.next());
  const servers = serverCounts(profile, mcpCalls, random);
  const filesEdited = Math.round(toolCalls * (0.06 + random.next() * 0.1));
  const filesCreated = Math.round(filesEdited * random.next() * 0.4);
  return {
    profile,
    clients: clientsOf(profile, random),
    sessions,
    user_messages: userMessages,
    assistant_messages: Math.round(userMessages * (2 + random.next() * 3)),
    tokens: tokensOf(day, profile, userMessages * profile.heft * growth, random),
    tool_calls: toolCalls,
    /** Adds up to `tool_calls`; calls to servers are among them. */
    tools: toolCounts(day, toolCalls - mcpCalls, servers, random),
    servers,
    skills: some(SKILLS, Math.round(userMessages * 0.12 * random.next()), random),
    slashCommands: some(SLASH_COMMANDS, Math.round(sessions * 1.6 * random.next()), random),
    hooks: split(
      Math.round(toolCalls * 0.3 * profile.hooks),
      HOOKS.map((_, index) => random.next() / (index + 1)),
    ),
    level: LEVELS[random.weighted(profile.levels)] ?? 'manual',
    files_created: filesCreated,
    files_edited: filesEdited,
    /** Adds up to all files created and edited. */
    extensions: extensionCounts(profile, filesCreated + filesEdited, random),
    git_commits: random.int(0, Math.ceil(filesEdited / 4)),
    git_prs_created: random.chance(0.4) ? random.int(1, 2) : 0,
  };
}

function clientsOf(profile: Profile, random: Random): readonly (typeof CLIENTS)[number][] {
  const used = CLIENTS.filter((_, index) => random.chance(profile.clients[index] ?? 0));
  return used.length > 0 ? used : ['terminal-ui'];
}

/** Billable is input plus output, less nine tenths of what came from the cache. */
function tokensOf(day: number, profile: Profile, work: number, random: Random) {
  const weights = MODELS.map((model, index) =>
    day >= model.from && day < model.until ? (profile.models[index] ?? 0) * random.next() : 0,
  );
  const outputs = split(Math.round(work * (2600 + random.next() * 2600)), weights);
  return MODELS.flatMap((model, index) => {
    const output = outputs[index] ?? 0;
    if (output === 0) return [];
    const input = Math.round(output * (9 + random.next() * 7));
    const cacheRead = Math.round(input * (0.66 + random.next() * 0.2));
    return [
      {
        model,
        billable_tokens: input + output - Math.floor(cacheRead * 0.9),
        input_tokens: input,
        output_tokens: output,
        cache_read_tokens: cacheRead,
        cache_write_tokens: Math.round((input - cacheRead) * 0.5),
      },
    ];
  });
}

function toolCounts(day: number, calls: number, servers: Counts, random: Random): Counts {
  const own = split(
    calls,
    TOOLS.map(([, weight]) => weight * (0.4 + random.next() * 1.2)),
  );
  const counts = TOOLS.map(([tool], index): [string, number] => [tool, own[index] ?? 0]);
  const first = counts[0];
  if (day % 97 === 13 && first !== undefined && first[1] > 0 && random.chance(0.3)) {
    first[1]--;
    counts.push([random.pick(ARTEFACTS), 1]);
  }
  for (const [server, calls] of servers) counts.push([`${server}__query`, calls]);
  return counts.filter(([, value]) => value > 0);
}

function serverCounts(profile: Profile, calls: number, random: Random): Counts {
  return some(SERVERS, calls, random).map(([server, value]) => [
    profile.capitals ? server.replace(/(^|-)[a-z]/g, letter => letter.toUpperCase()) : server,
    value,
  ]);
}

function extensionCounts(profile: Profile, files: number, random: Random): Counts {
  const extensions = profile.languages.flatMap(language => EXTENSIONS[language] ?? []);
  return some(extensions, files, random);
}

/** Spreads `total` over a few of the names, the first ones more than the last. */
function some(names: readonly string[], total: number, random: Random): Counts {
  const parts = split(
    total,
    names.map((_, index) => random.next() / (index + 1)),
  );
  return names
    .map((name, index): [string, number] => [name, parts[index] ?? 0])
    .filter(([, value]) => value > 0);
}
