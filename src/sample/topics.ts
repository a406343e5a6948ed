/** A tool call and what came of it. */
export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: string;
  readonly failed: boolean;
}

/** How the sample agent goes about one kind of request. */
export interface Topic {
  readonly opening: string;
  readonly reasoning: string;
  tools(request: string): readonly ToolCall[];
  /** Markdown; `attachments` is a section about what was sent, or empty. */
  answer(attachments: string): string;
}

const call = (name: string, input: ToolCall['input'], result: string, failed = false): ToolCall => ({
  name,
  input,
  result,
  failed,
});
const sections = (...parts: readonly string[]): string => parts.filter(part => part !== '').join('\n\n');

const FLAKY_DIFF = `\`\`\`diff
-  await page.click('#pay');
-  expect(await total()).toBe('42.00');
+  await page.click('#pay');
+  await expect.poll(total).toBe('42.00');
\`\`\``;

const tests: Topic = {
  opening: 'I look at the failing test first, then run it on its own.',
  reasoning: 'The failure comes and goes, so timing is likely. I should run the test alone and many times.',
  tools: () => [
    call(
      'Grep',
      { pattern: 'checkout total', path: 'services/checkout' },
      'services/checkout/src/total.test.ts:7: it("shows the checkout total", async () => {',
    ),
    call(
      'Execute',
      { command: 'npm test -- total.test.ts --repeat 20' },
      '17 passed, 3 failed\n\n  expected "42.00", received "0.00"\n    at total.test.ts:11:10',
      true,
    ),
  ],
  answer: attachments =>
    sections(
      'The test reads the total **before** the payment answer has arrived; 3 of 20 runs lose that race.',
      FLAKY_DIFF,
      'With this change 200 of 200 runs pass:',
      '| | before | after |\n| --- | ---: | ---: |\n| runs | 20 | 200 |\n| failures | 3 | 0 |\n| median time | 1.9 s | 1.7 s |',
      attachments,
      'The test is `services/checkout/src/total.test.ts:7`; the refund test waits in the same way. Shall I change it too?',
    ),
};

const review: Topic = {
  opening: 'I read the change and what it touches before judging it.',
  reasoning: 'Look for behaviour changes first, then for errors that nobody handles, then for names.',
  tools: () => [
    call(
      'Execute',
      { command: 'git diff --stat main' },
      ' services/checkout/src/tax.ts | 48 ++++++++++----\n services/checkout/src/cart.ts | 12 ++--\n 2 files changed, 44 insertions(+), 16 deletions(-)',
    ),
    call(
      'Read',
      { path: 'services/checkout/src/tax.ts' },
      'export function taxOf(cart: Cart, rate: number) {\n  …',
    ),
  ],
  answer: attachments =>
    sections(
      '## Review',
      '1. **Must change**: `taxOf` rounds each line and then the sum, so totals can be off by a cent.\n2. **Should change**: a missing rate becomes `NaN` without an error (`services/checkout/src/tax.ts:8`).\n3. **Fine**: the new names say what they are.',
      '```ts\nconst tax = Math.round(lines.reduce((sum, line) => sum + line.net * rate, 0));\n```',
      attachments,
      '> I changed nothing. Say the word and I make the first two changes.',
    ),
};

const writing: Topic = {
  opening: 'I check what the code does today, so that the text says the same.',
  reasoning: 'Readers are newcomers: commands first, then why, then details.',
  tools: () => [
    call('ListFolder', { path: '.' }, 'README.md\napps/\npackages/\nservices/\npackage.json'),
    call('Edit', { path: 'README.md', section: 'Start' }, 'README.md: 14 lines added, 6 removed'),
  ],
  answer: attachments =>
    sections(
      'The text is in place:',
      '```md\n## Start\n\n    npm ci\n    npm start\n\nThe shop opens at the address that is printed.\n```',
      '- commands were run as written\n- two dead links removed\n- [ ] the deployment part still needs someone who knows it',
      attachments,
    ),
};

const repair: Topic = {
  opening: 'I reproduce the problem before I change anything.',
  reasoning: 'The error names a missing value. Find who makes it, not only who reads it.',
  tools: () => [
    call(
      'Execute',
      { command: 'npm run reproduce' },
      "TypeError: Cannot read properties of undefined (reading 'rate')",
      true,
    ),
    call(
      'Grep',
      { pattern: 'rate', path: 'services' },
      'services/checkout/src/rates.ts:12: return table[country];',
    ),
    call(
      'Edit',
      { path: 'services/checkout/src/rates.ts' },
      'services/checkout/src/rates.ts: 5 lines added, 1 removed',
    ),
  ],
  answer: attachments =>
    sections(
      'Fixed. A country without a rate gave `undefined`, and the cart read on.',
      '```ts\nconst rate = table[country];\nif (rate === undefined) throw new UnknownCountryError(country);\nreturn rate;\n```',
      'The new error reaches the person as “We do not deliver to this country yet.” A test covers it.',
      attachments,
    ),
};

const migration: Topic = {
  opening: 'I look at what the project uses now and go in small steps.',
  reasoning:
    'Each step must leave the tests green. The lock file comes first, because everything depends on it.',
  tools: () => [
    call('Read', { path: 'package.json' }, '{ "workspaces": ["apps/*", "packages/*", "services/*"] }'),
    call('Execute', { command: 'npm run build && npm test' }, 'build: 41 s\ntests: 312 passed'),
  ],
  answer: attachments =>
    sections(
      '### Plan',
      '| step | what | risk |\n| ---: | --- | --- |\n| 1 | lock file and CI | low |\n| 2 | `packages/ui` | low |\n| 3 | `services/checkout` | medium |\n| 4 | remove what is left | low |',
      'Step 1 is done and all **312** tests pass. Step 3 needs a decision: keep the old build for one release, or not?',
      attachments,
    ),
};

const explanation: Topic = {
  opening: 'I follow the code from where it is called.',
  reasoning: 'Explain the path of one order through the system, with places to look at.',
  tools: request => [
    call(
      'Grep',
      { pattern: longestWord(request), path: '.' },
      'services/billing/src/job.ts:20: export async function runNightly(day: Day) {',
    ),
  ],
  answer: attachments =>
    sections(
      'In short: the job collects the orders of a day, makes one invoice a customer, and marks the day as done.',
      '1. `runNightly` takes a lock (`job.ts:24`), so two workers never run together.\n2. `collect` reads orders in pages of 500.\n3. `invoice` is safe to repeat: the key is *customer + day*.\n4. A failure leaves the day open; the next run takes it up.',
      '```mermaid\nflowchart LR\n  orders --> collect --> invoice --> done\n```',
      attachments,
    ),
};

const anything: Topic = {
  opening: 'I look around in the repository first.',
  reasoning: 'The request is open. Find the smallest useful step and say what comes after it.',
  tools: request => [
    call('ListFolder', { path: '.' }, 'apps/\npackages/\nservices/\npackage.json\nREADME.md'),
    call('Grep', { pattern: longestWord(request), path: '.' }, 'no matches', false),
  ],
  answer: attachments =>
    sections(
      'Done, as far as the repository allows:',
      '- the three parts build and **312** tests pass\n- nothing was changed\n- `packages/ui` has no owner, which is worth a look',
      attachments,
      'Tell me which part to go on with: `apps/web`, `services/checkout` or `packages/ui`.',
    ),
};

const TOPICS: readonly (readonly [RegExp, Topic])[] = [
  [/\b(tests?|flaky|coverage|spec)\b/i, tests],
  [/\b(review|diff|pull request|critique)\b/i, review],
  [/\b(readme|docs?|document|write|notes|changelog)\b/i, writing],
  [/\b(fix|bug|errors?|crash|broken|fails?|failing)\b/i, repair],
  [/\b(migrate|migration|upgrade|update|move|rename)\b/i, migration],
  [/\b(explain|why|how|what|describe)\b/i, explanation],
];

/** The topic of a request's words; without a known word, topics take turns. */
export function topicOf(request: string, turn: number): Topic {
  const known = TOPICS.find(([words]) => words.test(request));
  if (known !== undefined) return known[1];
  return turn % 3 === 2 ? explanation : anything;
}

function longestWord(request: string): string {
  const words = request.slice(0, 500).match(/[\p{L}\p{N}_-]{3,40}/gu) ?? [];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), 'main');
}
