import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { logUnhandled, OutputLog } from '../../../src/log';
import { Disposable, Slot, toDisposable } from '../../../src/util/disposable';
import { Emitter } from '../../../src/util/event';
import { catchUnhandled } from '../../fakes/cleanUp';
import { output } from '../../fakes/vscode';

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

  it('of a listener is not lost, and the other listeners hear', async () => {
    const emitter = new Emitter<string>();
    const heard: string[] = [];
    emitter.event(fail);
    emitter.event(() => Promise.reject(new Error('It broke later.')));
    emitter.event(value => heard.push(value));
    emitter.fire('a');
    assert.deepEqual(heard, ['a']);
    assert.deepEqual((await messages()).toSorted(), ['It broke later.', 'It broke.']);
  });

  it('of a part that goes is not lost, and the other parts go', async () => {
    const gone: string[] = [];
    const whole = new (class extends Disposable {
      constructor() {
        super();
        this.register(toDisposable(() => gone.push('first')));
        this.register(toDisposable(fail));
        this.register(toDisposable(() => gone.push('last')));
      }
    })();
    whole.dispose();
    assert.deepEqual(gone, ['last', 'first']);
    const slot = new Slot();
    slot.set(toDisposable(fail));
    const next = toDisposable(() => gone.push('next'));
    slot.set(next);
    assert.equal(slot.value, next);
    slot.dispose();
    assert.deepEqual(gone, ['last', 'first', 'next']);
    assert.deepEqual(await messages(), ['It broke.', 'It broke.']);
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
    while (caught.errors.length === 0) await setImmediate();
    const [line, ...more] = output;
    assert.deepEqual(more, []);
    assert.match(line ?? '', /Unexpected failure\nCaused by Error: It broke\.\n +at own /);
    assert.match(line ?? '', /\nCaused by Error: The disk is full\.\n +at own .*\nCaused by E: m$/s);
    ours.dispose();
    others.dispose();
    log.dispose();
  });
});
