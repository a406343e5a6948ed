import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { askFirstMessage, type FirstMessage } from '../../../src/sessions/firstMessage';
import type { inputStep, Left } from '../../../src/sessions/steps';

type Step = Parameters<typeof inputStep>[0];
type Answer = Awaited<ReturnType<typeof inputStep>>;

const file = (path: string): vscode.Uri => {
  const uri: Partial<vscode.Uri> = { path, toString: () => `file://${path}` };
  return uri as vscode.Uri;
};
const NOTHING: FirstMessage = { text: '', files: [] };

describe('the first message of a new session', () => {
  /** Asks; each answer is what a person does when the question stands there. */
  const ask = async (
    begun: FirstMessage,
    answers: readonly ((step: Step) => Answer)[],
    chosen?: readonly vscode.Uri[],
  ): Promise<{ outcome: FirstMessage | Left; kept: FirstMessage }> => {
    const left = [...answers];
    let kept = begun;
    const outcome = await askFirstMessage(begun, {
      title: 'New session',
      input: step => Promise.resolve(left.shift()?.(step) ?? assert.fail('asked once more')),
      chooseFiles: () => Promise.resolve(chosen),
      keep: message => (kept = message),
    });
    return { outcome, kept };
  };
  const typing =
    (text: string, end: Answer) =>
    (step: Step): Answer => {
      for (let n = 1; n <= text.length; n++) step.changed?.(text.slice(0, n));
      return end;
    };

  for (const end of ['back', 'cancelled'] as const)
    it(`is kept with its files when the step ends with ${end}`, async () => {
      const attached = (): Answer => ({ text: 'Begin', button: 'attach' });
      const answers = [attached, typing('Begin with the tests', end)];
      const { outcome, kept } = await ask(NOTHING, answers, [file('/a.txt')]);
      assert.equal(outcome, end);
      assert.equal(kept.text, 'Begin with the tests');
      assert.deepEqual(kept.files.map(String), ['file:///a.txt']);
      const again = await ask(kept, [step => ({ text: step.value })]);
      assert.deepEqual(again.outcome, kept);
    });

  it('takes each file once, keeps them when choosing is cancelled, and lets them go', async () => {
    const begun = { text: 'x', files: [file('/a.txt')] };
    const attach = (): Answer => ({ text: 'x', button: 'attach' });
    const done = (): Answer => ({ text: 'x' });
    const more = await ask(begun, [attach, done], [file('/a.txt'), file('/b.txt')]);
    assert.deepEqual((more.outcome as FirstMessage).files.map(String), ['file:///a.txt', 'file:///b.txt']);
    assert.deepEqual((await ask(begun, [attach, done])).outcome, begun);
    const cleared = await ask(begun, [() => ({ text: 'x', button: 'clear' }), done]);
    assert.deepEqual(cleared.outcome, { text: 'x', files: [] });
  });

  it('is needed where there are files', async () => {
    const problems: (string | undefined)[] = [];
    const look = (step: Step): Answer => {
      problems.push(step.problem?.(' '), step.problem?.('x'));
      return 'cancelled';
    };
    await ask({ text: '', files: [file('/a.txt')] }, [look]);
    await ask(NOTHING, [look]);
    assert.match(problems[0] ?? '', /need a message/);
    assert.deepEqual(problems.slice(1), [undefined, undefined, undefined]);
  });
});
