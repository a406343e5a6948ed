import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { headerOf } from '../../../src/chat/panel/panelState';
import { ChatSessionsSource } from '../../../src/sessions/chatSessions';
import { ComputerSessions } from '../../../src/sessions/computerSessions';
import { SessionMonitor } from '../../../src/sessions/monitor';
import { isUnread } from '../../../src/sessions/overlay';
import type { ComputerFacts } from '../../../src/sessions/row';
import type { SessionIndex } from '../../../src/sessions/sessionIndex';
import { Emitter, ObservableValue } from '../../../src/util/event';
import { Formatter } from '../../../src/util/format';
import { silentLog } from '../../fakes/log';
import { sessionOf, until, Windows } from './support';

const icons = readFileSync(
  path.join(process.env['AGENT_CONSOLE_ROOT']!, 'media', 'chat', 'codicons.css'),
  'utf8',
);

/** What the chat and the Computers view see of the sessions. */
describe('sessions for other views', () => {
  let windows: Windows;
  let index: SessionIndex;
  let monitor: SessionMonitor;
  const computer = (id: string): ComputerFacts | undefined =>
    id === 'c1' ? { name: 'atlas', status: 'active' } : undefined;

  beforeEach(async () => {
    windows = await Windows.make();
    ({ index } = await windows.open());
    monitor = new SessionMonitor({
      index,
      focused: new ObservableValue(false),
      fastestMs: () => 1_000,
      sentence: () => undefined,
      api: () => undefined,
    });
  });
  afterEach(async () => {
    monitor.dispose();
    await windows.close();
  });

  const learn = (
    sessionId: string,
    computerId: string,
    updatedAt: number,
    messageCount = 2,
  ): Promise<void> => {
    const session = sessionOf({ sessionId, computerId, updatedAt, messageCount, title: sessionId });
    return index.learn('service', { session, origin: 'created', at: updatedAt });
  };

  it('stand below their computer, the latest first, without archived ones', async () => {
    const source = new ComputerSessions({ index, monitor, computer, format: new Formatter('en') });
    assert.deepEqual(source.ofComputer('c1'), []);
    await learn('old', 'c1', 10);
    await learn('elsewhere', 'c2', 15);
    await learn('new', 'c1', 20);
    await learn('gone', 'c1', 30);
    await index.keep('service', 'gone', () => ({ archivedAt: 1 }));
    assert.deepEqual(
      source.ofComputer('c1').map(({ sessionId }) => sessionId),
      ['new', 'old'],
    );
    assert.ok(!source.ofComputer('c1')[0]!.description.includes('atlas'), 'the computer is not named again');
    source.dispose();
  });

  it('say the same of their state wherever they are shown', async () => {
    const format = new Formatter('en');
    const below = new ComputerSessions({ index, monitor, computer, format });
    const chat = new ChatSessionsSource({
      index,
      monitor,
      computer,
      computersChanged: new Emitter<unknown>().event,
      log: silentLog(),
      pick: () => Promise.resolve(undefined),
      ensure: () => Promise.resolve(),
    });
    const shown = (): string => {
      const { status } = headerOf(chat.get('s1'), 's1', false, Date.now(), format);
      const row = below.ofComputer('c1')[0];
      assert.ok(row !== undefined);
      assert.ok(row.description.startsWith(status.word), `${row.description} / ${status.word}`);
      assert.ok(icons.includes(`.codicon-${status.icon}::before`), `the page has no ${status.icon}`);
      assert.equal(row.icon.id, status.spin ? `${status.icon}~spin` : status.icon);
      return status.word;
    };
    const told = (status: string, at: number): Promise<void> =>
      index.learn('service', { session: sessionOf({ status, computerId: 'c1' }), origin: 'created', at });
    const now = Date.now();
    await told('running', now - 60_000);
    assert.equal(shown(), 'running');
    await index.signal('service', { sessionId: 's1', kind: 'finished', at: now - 50_000 }, undefined);
    assert.equal(shown(), 'running', 'the service says that it works');
    await index.signal('service', { sessionId: 's1', kind: 'waiting', at: now - 40_000 }, undefined);
    assert.equal(shown(), 'waiting');
    await index.noteSend('service', 's1', { status: 'pending', at: now - 30_000, text: 'Yes' });
    assert.equal(shown(), 'pending');
    await index.fail('service', 's1', { at: now, sentence: 'No answer.' });
    assert.notEqual(monitor.statusOf('s1').problem, undefined);
    assert.equal(shown(), 'unknown, pending');
    assert.equal(chat.get('s1')?.status, 'unknown');
    chat.dispose();
    below.dispose();
  });

  it('are read while their chat is open, and unread when more comes afterwards', async () => {
    const chat = new ChatSessionsSource({
      index,
      monitor,
      computer,
      computersChanged: new Emitter<unknown>().event,
      log: silentLog(),
      pick: () => Promise.resolve(undefined),
      ensure: () => Promise.resolve(),
    });
    await learn('s1', 'c1', 10);
    const unread = (): boolean => {
      const record = index.get('s1');
      return record !== undefined && isUnread(record.local, record.session?.messageCount);
    };
    assert.equal(unread(), false, 'a session nobody has opened here is not unread');
    const watch = chat.watch('s1');
    await until(index.onDidChange, () => index.get('s1')?.local.readCount === 2);
    await learn('s1', 'c1', 20, 5);
    await until(index.onDidChange, () => index.get('s1')?.local.readCount === 5);
    watch.dispose();
    await learn('s1', 'c1', 30, 6);
    assert.equal(unread(), true);
    assert.equal(chat.get('s1')?.computerName, 'atlas');
    chat.dispose();
  });
});
