import { computerIdOf } from '../../src/sample/computers';
import { plan, type MessageDraft } from '../../src/sample/script';
import { DAY_MS, dayOf, seeded, type Random } from '../../src/sample/random';
import { advance, append, ask, emptySession, type SessionState } from '../../src/sample/sessions';
import type { Surroundings } from '../../src/sample/stories';

const FLAKY = [
  'Please fix the flaky checkout test',
  'Yes, change the refund test too',
  'Now write the release notes',
];

const LONG = [
  'Migrate the build to workspaces',
  'Why was the lock file rewritten?',
  'Review step 2 before you go on',
  'The preview is slow now, please look at it',
  'There is an error in services/checkout since step 3',
  'Explain how the nightly job finds its orders',
  'Add tests for the migrated packages',
  'Update the documentation of the build',
];

/** Sessions from before this service started: an everyday one, a long one, and one with everything out of the ordinary. */
export function pastSessions({ seed, now }: Surroundings): SessionState[] {
  const midnight = dayOf(now) * DAY_MS;
  const at = (daysAgo: number, hour: number): number => midnight - daysAgo * DAY_MS + hour * 3600_000;
  return [
    talk(seed, 0, computerIdOf(seed, 'atlas'), at(1, 10), FLAKY, {
      model: 'onyx-large',
      autonomyLevel: 'medium',
    }),
    talk(seed, 1, computerIdOf(seed, 'dune'), at(6, 14), LONG, {
      reasoningEffort: 'high',
      tags: [{ name: 'migration', metadata: {} }],
    }),
    unusual(seed, 2, computerIdOf(seed, 'atlas'), at(2, 16)),
  ];
}

function begin(
  seed: string,
  index: number,
  computerId: string,
  createdAt: number,
  settings: Readonly<Record<string, unknown>>,
): [SessionState, Random] {
  const sessionId = seeded(seed, 'past session', index).uuid();
  const state = emptySession({ sessionId, computerId, createdAt, settings });
  return [state, seeded(seed, 'past messages', index)];
}

/** A session as it comes about: a person asks, the agent answers, some minutes later the next question. */
function talk(
  seed: string,
  index: number,
  computerId: string,
  createdAt: number,
  questions: readonly string[],
  settings: Readonly<Record<string, unknown>>,
): SessionState {
  const [state, random] = begin(seed, index, computerId, createdAt, settings);
  for (const [turn, text] of questions.entries()) {
    const asked = state.updatedAt + random.int(60, 900) * 1000;
    const content = [{ type: 'text', text, id: `item_${random.hex(12)}` }];
    ask(state, content, asked, begin => plan({ text, attachments: [], settings, turn }, begin, 4));
    advance(state, Infinity);
  }
  return state;
}

/** One message of every kind a transcript must cope with. */
function unusual(seed: string, index: number, computerId: string, createdAt: number): SessionState {
  const [state, random] = begin(seed, index, computerId, createdAt, { interactionMode: 'spec' });
  state.title = 'Odd corners of a transcript';
  const item = (type: string, fields: Readonly<Record<string, unknown>>) => ({
    type,
    id: `item_${random.hex(12)}`,
    ...fields,
  });
  const text = (value: string) => item('text', { text: value });
  const drafts: readonly MessageDraft[] = [
    {
      role: 'system',
      content: [text('You are an agent. Follow the guide in the root.')],
      visibility: 'llm_only',
    },
    { role: 'user', content: [text('Show me everything you can say')], visibility: 'both' },
    { role: 'assistant', content: [text('An internal note.')], isUserVisible: false },
    {
      role: 'assistant',
      content: [item('thinking', { thinking: 'Which kinds are there?', signature: random.hex(32) })],
      providerBThoughtSignature: random.hex(64),
    },
    { role: 'assistant', content: [item('redacted_thinking', { data: random.hex(48) })] },
    { role: 'assistant', content: [item('hologram', { frames: 3, caption: 'a kind nobody knows yet' })] },
    { role: 'assistant', content: [], providerAEncryptedContent: random.hex(96), providerAPhase: null },
    {
      role: 'system',
      content: [text('The connection to the computer was lost and came back.')],
      visibility: 'user_only',
    },
    { role: 'assistant', content: [text('The model did not answer in time.')], isError: true },
    { role: 'assistant', content: [text(HOSTILE)], providerAPhase: 'final_answer' },
    { role: 'assistant', content: [text(LONG_ANSWER)], providerAPhase: 'final_answer' },
  ];
  for (const draft of drafts) {
    append(state, draft, state.updatedAt + random.int(1, 20) * 1000);
  }
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
  ...Array.from({ length: 12 }, (_, index) =>
    [
      `## Part ${index + 1}`,
      '1. first\n   - nested\n     - deeper\n2. second\n\n> A quotation of\n> two lines.',
      '| column | number | a longer column of text |\n| :--- | ---: | --- |\n' +
        Array.from(
          { length: 4 },
          (_row, row) => `| row ${row} | ${(index + 1) * (row + 3)} | \`value_${row}\` |`,
        ).join('\n'),
      `\`\`\`ts\nexport function part${index + 1}(input: readonly number[]): number {\n  return input.reduce((sum, value) => sum + value * ${index + 1}, 0);\n}\n\`\`\``,
    ].join('\n\n'),
  ),
].join('\n\n');
