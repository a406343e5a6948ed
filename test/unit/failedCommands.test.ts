import assert from 'node:assert/strict';
import { reportFailure } from '../../src/console';
import { notify } from '../../src/ui/notify';
import type { OutputLog } from '../../src/log';
import { silentLog } from '../fakes/log';
import { acts, answers } from '../fakes/vscode';

describe('a notice', () => {
  const logged: string[] = [];
  const log = { ...silentLog(), error: (line: string) => logged.push(line) } as unknown as OutputLog;
  afterEach(() => {
    answers.clear();
    acts.length = logged.length = 0;
  });

  it('of a command that failed holds up nobody who ran the command', () => {
    answers.set('showErrorMessage', new Promise(() => undefined));
    reportFailure(log, 'c', new Error('It broke.'), []);
    assert.deepEqual(acts, ['window.showErrorMessage']);
    assert.deepEqual(logged, ['Command c: It broke.']);
  });

  it('does what its button says, and tells and logs when that fails', async () => {
    answers.set('showWarningMessage', Promise.resolve('Again' as unknown as undefined));
    const failed = new Promise<void>((_, reject) => {
      notify(log, 'warning', 'Something happened.', ['Again', () => reject(new Error('chosen'))]);
    });
    await assert.rejects(failed, /chosen/);
    const told = new Promise<void>(resolve => {
      const done = { ...silentLog(), error: (line: string) => resolve(void logged.push(line)) };
      notify(done, 'warning', 'Something happened.', ['Again', () => Promise.reject(new Error('No.'))]);
    });
    await told;
    assert.deepEqual(logged, ['What a notice offered could not be done']);
    assert.equal(acts.at(-1), 'window.showErrorMessage');
  });
});
