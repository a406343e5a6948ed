import assert from 'node:assert/strict';
import { SetUps } from '../../../src/computers/setUps';
import { silentLog } from '../../fakes/log';
import { acts } from '../../fakes/vscode';

describe('set-ups of computers', () => {
  const told = (): string[] => acts.filter(act => act.startsWith('window.show'));
  const computer = (status: string | undefined) => ({ id: 'c1', name: 'boreal', status });
  const seen = (...steps: readonly (readonly [ReturnType<typeof computer>, boolean])[]): string[] => {
    acts.splice(0);
    const setUps = new SetUps(silentLog(), () => Promise.resolve());
    for (const [each, looking] of steps) setUps.see([each], looking);
    return told();
  };
  const running = computer('provisioning');

  it('are told of once when they end, as a warning unless the computer is ready', () => {
    const ready = computer('active');
    const [info, warning] = ['window.showInformationMessage', 'window.showWarningMessage'];
    assert.deepEqual(seen([running, true], [computer(undefined), true], [ready, true], [ready, true]), [
      info,
    ]);
    for (const status of ['error', 'paused'])
      assert.deepEqual(seen([running, true], [computer(status), true]), [warning]);
  });

  it('that nobody looked at here are told of by the window that was looked at, if by any', () => {
    assert.deepEqual(seen([running, false], [computer('active'), true]), []);
    assert.deepEqual(seen([running, true], [computer('active'), false], [computer('active'), true]), []);
  });
});
