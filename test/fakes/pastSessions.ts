import { computerIdOf } from '../../src/sample/computers';
import { plan, type MessageDraft } from '../../src/sample/script';
import { DAY_MS, dayOf, SEED, seeded, type Random } from '../../src/sample/random';
import { advance, append, ask, emptySession } from '../../src/sample/sessions';
import type { Surroundings, SessionState } from '../../src/sample/sessions';

const FLAKY = ['Please fix the flaky checkout test', 'Change the refund test too', 'Write the release notes'];
const LONG = [
  'Migrate the build to workspaces',
  ...Array<string>(7).fill('Add tests of what moved, and review it'),
];

/** Sessions from before this service started: an everyday one, a long one, and one with everything out of the ordinary. */
export function pastSessions({ now }: Surroundings): SessionState[] {
  let index = 0;
  /** A session begun some days ago, and what is random in it. */
  const begin = (computer: string, daysAgo: number, settings: Settings): [SessionState, Random] => {
    const createdAt = (dayOf(now) - daysAgo) * DAY_MS + 10 * 3600_000;
    const sessionId = seeded(SEED, 'past session', index).uuid();
    const state = emptySession({ sessionId, computerId: computerIdOf(computer), createdAt, settings });
    return [state, seeded(SEED, 'past messages', index++)];
  };
  const tags = [{ name: 'migration', metadata: {} }];
  return [
    talk(FLAKY, ...begin('atlas', 1, { model: 'onyx-large', autonomyLevel: 'medium' })),
    talk(LONG, ...begin('dune', 6, { reasoningEffort: 'high', tags })),
    unusual(...begin('atlas', 2, { interactionMode: 'spec' })),
  ];
}

type Settings = Readonly<Record<string, unknown>>;

/** A session as it comes about: a person asks, the agent answers, some minutes later the next question. */
function talk(questions: readonly string[], state: SessionState, random: Random): SessionState {
  for (const [turn, text] of questions.entries()) {
    const asked = state.updatedAt + random.int(60, 900) * 1000;
    const content = [{ type: 'text', text, id: `item_${random.hex(12)}` }];
    const { settings } = state;
    ask(state, content, asked, begin => plan({ text, attachments: [], settings, turn }, begin, 4));
    advance(state, Infinity);
  }
  return state;
}

/** One message of every kind a transcript must cope with. */
function unusual(state: SessionState, random: Random): SessionState {
  state.title = 'Odd corners of a transcript';
  const item = (type: string, fields: Settings) => ({ type, id: `item_${random.hex(12)}`, ...fields });
  const text = (value: string) => [item('text', { text: value })];
  const add = (role: MessageDraft['role'], content: MessageDraft['content'], more: Settings = {}): void => {
    append(state, { role, content, ...more }, state.updatedAt + random.int(1, 20) * 1000);
  };
  add('system', text('You are an agent. Follow the guide in the root.'), { visibility: 'llm_only' });
  add('user', text('Show me everything you can say'), { visibility: 'both' });
  add('assistant', text('An internal note.'), { isUserVisible: false });
  const thinking = { thinking: 'Which kinds are there?', signature: random.hex(32) };
  add('assistant', [item('thinking', thinking)], { providerBThoughtSignature: random.hex(64) });
  add('assistant', [item('redacted_thinking', { data: random.hex(48) })]);
  add('assistant', [item('hologram', { frames: 3, caption: 'a kind nobody knows yet' })]);
  add('assistant', [], { providerAEncryptedContent: random.hex(96), providerAPhase: null });
  const lost = 'The connection to the computer was lost and came back.';
  add('system', text(lost), { visibility: 'user_only' });
  add('assistant', text('The model did not answer in time.'), { isError: true });
  add('assistant', text(HOSTILE), { providerAPhase: 'final_answer' });
  add('assistant', text(LONG_ANSWER), { providerAPhase: 'final_answer' });
  state.completedAt = state.updatedAt;
  return state;
}

/** Markup and text that must stay text wherever it is shown. */
const HOSTILE = `These must all stay harmless:

<script>document.title = 'ran'</script> <img src="x" onerror="document.title='ran'">

[run a command](command:workbench.action.quit) · [script](javascript:document.title='ran') · ![pixel](https://tracker.invalid/p.png)

$(alert) icon syntax, a bidi override: \u202Egnp.exe\u202C, and a [real link](https://docs.acme.example/).`;

const LONG_ANSWER = [
  '# Everything at once',
  'A paragraph with **bold**, *emphasis*, ~~struck~~ and `code`.',
  ...Array.from({ length: 12 }, (_, index) => {
    const row = (n: number): string => `| row ${n} | ${(index + 1) * (n + 3)} | \`value_${n}\` |`;
    const rows = [0, 1, 2, 3].map(row).join('\n');
    return `## Part ${index + 1}

1. first
   - nested
     - deeper
2. second

> A quotation of
> two lines.

| column | number | a longer column of text |
| :--- | ---: | --- |
${rows}

\`\`\`ts
export function part${index + 1}(input: readonly number[]): number {
  return input.reduce((sum, value) => sum + value * ${index + 1}, 0);
}
\`\`\``;
  }),
].join('\n\n');
