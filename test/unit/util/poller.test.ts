import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { Poller } from '../../../src/util/poller';
import { catchUnhandled } from '../../fakes/cleanUp';
import { OutputLog, logUnhandled } from '../../../src/log';
import { Disposable, Emitter, Slot, toDisposable, unhandled } from '../../../src/util/lifecycle';
import { output } from '../../fakes/vscode';
import { until } from '../../until';

it('a poller asks at once, one round at a time, anew where it is poked meanwhile, and after retryMs where a round failed, which is not hidden', async () => {
  const caught = catchUnhandled();
  const rounds: PromiseWithResolvers<number>[] = [];
  const run = () => rounds[rounds.push(Promise.withResolvers()) - 1]!.promise;
  const poller = new Poller({ run, retryMs: 1 });
  /** Waits until so many rounds have begun. */
  const begun = async (count: number) => {
    await until(() => rounds.length >= count);
    return rounds[count - 1]!;
  };
  poller.start();
  poller.start();
  const first = await begun(1);
  poller.poke();
  assert.equal(rounds.length, 1);
  first.resolve(Infinity);
  (await begun(2)).reject(new Error('no'));
  await begun(3);
  poller.dispose();
  caught.dispose();
  assert.deepEqual(String(caught.errors), 'Error: no');
});

describe('an error nobody waits for', () => {
  let caught: ReturnType<typeof catchUnhandled>;
  beforeEach(() => (caught = catchUnhandled()));
  afterEach(() => caught.dispose());

  const fail = (): never => {
    throw new Error('It broke.');
  };
  const messages = async (): Promise<readonly string[]> => {
    await setImmediate();
    return caught.errors.map(error => (error as Error).message);
  };

  it('of a listener is not lost, and the other listeners hear; nor is one of a part that goes, and the other parts go', async () => {
    const heard: string[] = [];
    const emitter = new Emitter<string>();
    emitter.event(fail);
    emitter.event(() => Promise.reject(new Error('It broke later.')));
    emitter.event(value => heard.push(value));
    emitter.fire('a');
    const whole = new (class extends Disposable {
      readonly parts = [() => heard.push('first'), fail, () => heard.push('last')].map(each =>
        this.register(toDisposable(each)),
      );
    })();
    whole.dispose();
    const slot = new Slot();
    slot.set(toDisposable(fail));
    const next = toDisposable(() => heard.push('next'));
    slot.set(next);
    assert.equal(slot.value, next);
    slot.dispose();
    assert.deepEqual(heard, ['a', 'last', 'first', 'next']);
    const broke = Array<string>(3).fill('It broke.');
    assert.deepEqual((await messages()).toSorted(), ['It broke later.', ...broke]);
  });

  it('is logged with its stack and its causes where it is of our code, and only there', async () => {
    const log = new OutputLog();
    const ours = logUnhandled(log, process.env['AGENT_CONSOLE_ROOT']!);
    const others = logUnhandled(log, '/nowhere');
    output.length = 0;
    const own = async (): Promise<void> => {
      await setImmediate();
      throw new Error('It broke.', {
        cause: new Error('The disk is full.', { cause: { name: 'E', message: 'm' } }),
      });
    };
    void own();
    await until(() => caught.errors.length > 0);
    const [line, ...more] = output;
    assert.deepEqual(more, []);
    assert.match(line ?? '', /Unexpected failure\nCaused by Error: It broke\.\n +at own /);
    assert.match(line ?? '', /\nCaused by Error: The disk is full\.\n +at own .*\nCaused by E: m$/s);
    // One of VS Code's own, which somebody here was told of.
    unhandled(Object.assign(new Error('Git is missing.'), { stack: 'at elsewhere' }));
    await setImmediate();
    assert.match(output.splice(1).join(), /Caused by Error: Git is missing\.\n.*\nCaused by at elsewhere/s);
    ours.dispose();
    others.dispose();
    log.dispose();
  });
});
