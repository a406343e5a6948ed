import assert from 'node:assert/strict';
import type { PanelState } from '../../../src/chat/protocol';
import { chatOf } from './chatOf';
import { panelOf } from './panelScene';
import { busy, posts, queued, queueUp, scene } from './scene';
import { cleanUp, until } from './support';

afterEach(cleanUp);

/** A session whose agent works, in a panel; the list of sessions was asked for, as the Sessions view does. */
async function working(lists = true, used = true) {
  const it = await scene({ lists, extras: () => used });
  const work = busy(it);
  await it.client.extras.sessions();
  const { said, posted, heard, ask } = panelOf(it);
  said.fire({ name: 'ready', params: {} });
  await it.window.sessions.refresh(it.sessionId);
  const state = () => posted.findLast(({ name }) => name === 'state')?.payload as PanelState | undefined;
  await until(heard, () => state()?.header.status.word === 'running');
  return {
    ...{ ...it, heard, work },
    stop: () => ask('stop', {}),
    stops: () => it.service.requests.filter(({ path }) => path.endsWith('/interrupt')).length,
    hasButton: () => state()?.composer.canStop,
    queueNote: () => state()?.composer.queueNote,
  };
}

describe('stopping an agent', () => {
  it('is offered while it works, sends one request, and asks how the session stands', async () => {
    const it = await working();
    assert.equal(it.hasButton(), true);
    it.work.rest();
    await it.stop();
    assert.equal(it.stops(), 1);
    await until(it.heard, () => it.hasButton() === false);
  });

  it('keeps what is queued from starting it again', async () => {
    const it = await working();
    const { conversation, sessions } = it.window;
    await queueUp(it.window, 'And then this', 'And that');
    it.work.rest();
    await it.stop();
    await until(it.heard, () => it.hasButton() === false);
    assert.match(conversation.queued[0]?.sentence ?? '', /^You stopped the agent/);
    assert.equal(it.queueNote(), 'On hold: see the first message.');
    await conversation.discard(conversation.queued[0]!.id);
    await sessions.refresh(it.sessionId);
    await sessions.refresh(it.sessionId);
    const stillThere = [queued(it.window), posts(it)];
    assert.deepEqual(stillThere, [['And that'], []], 'the next one waits for the person, too');
  });

  it('is done from the row of the session, too, and then what is queued rests', async () => {
    const it = await working();
    await queueUp(it.window, 'And then this');
    it.work.rest();
    await chatOf(it.window, it.client).commands.stop({ kind: 'session', sessionId: it.sessionId });
    assert.equal(it.stops(), 1);
    await until(it.heard, () => /^You stopped/.test(it.window.conversation.queued[0]?.sentence ?? ''));
  });

  it('is not offered where the service has no list of sessions, or it may not be used', async () => {
    assert.equal((await working(false)).hasButton(), false);
    assert.equal((await working(true, false)).hasButton(), false);
  });

  it('says why it failed, is not tried again, and goes where it is not offered', async () => {
    const it = await working();
    await queueUp(it.window, 'And then this');
    const fault = it.service.fail({ kind: 'status', status: 500, match: { method: 'POST' } });
    await assert.rejects(it.stop(), /^Error: The agent could not be stopped\. .*500/);
    assert.equal(it.stops(), 1);
    assert.equal(it.window.conversation.isQueueStopped, false, 'what is queued goes on');
    assert.equal(it.hasButton(), true, 'it may do better the next time');
    fault.dispose();
    it.service.fail({ kind: 'status', status: 405, match: { method: 'POST' } });
    await assert.rejects(it.stop(), /^Error: The agent could not be stopped\./);
    await until(it.heard, () => it.hasButton() === false);
  });
});
