import assert from 'node:assert/strict';
import type { PanelState } from '../../../src/chat/protocol';
import { startSampleService } from '../../fakes/sampleService';
import { chatOf } from './chatOf';
import { panelOf } from './panelScene';
import { busy, queued, queueUp } from './scene';
import { afterwards, cleanUp, clientOf, openWindow, temporaryFolder, until } from './support';

afterEach(cleanUp);

/** A session whose agent works, in a panel; the list of sessions was asked for, as the Sessions view does. */
async function working(service: { readonly lists: boolean; readonly used?: boolean }) {
  const sample = await startSampleService({ pace: 0, extras: service.lists });
  afterwards(() => sample.close());
  const client = clientOf(sample);
  const [computer] = (await client.list('computers')).items;
  const { sessionId } = await client.createSession({ computerId: computer!.id });
  const root = temporaryFolder();
  const window = await openWindow({ root, client, sessionId, extras: () => service.used ?? true });
  const it = { service: sample, client, sessionId, root, window };
  const work = busy(it);
  await client.extras.sessions();
  const { said, posted, heard } = panelOf(it);
  said.fire({ name: 'ready', params: {} });
  await window.sessions.refresh(sessionId);
  const state = () => posted.findLast(({ name }) => name === 'state')?.payload as PanelState | undefined;
  await until(heard, () => state()?.header.status.word === 'running');
  const stop = async () => {
    const id = posted.length + 1;
    said.fire({ id, name: 'stop', params: {} });
    await until(heard, () => posted.some(message => message.id === id));
    return posted.find(message => message.id === id) as { readonly kind: string; readonly reason?: string };
  };
  const stops = () => sample.requests.filter(({ path }) => path.endsWith('/interrupt')).length;
  return {
    ...it,
    heard,
    work,
    stop,
    stops,
    hasButton: () => state()?.composer.canStop,
    queueNote: () => state()?.composer.queueNote,
  };
}

describe('stopping an agent', () => {
  it('is offered while it works, sends one request, and asks how the session stands', async () => {
    const it = await working({ lists: true });
    assert.equal(it.hasButton(), true);
    it.work.rest();
    assert.equal((await it.stop()).kind, 'answer');
    assert.equal(it.stops(), 1);
    await until(it.heard, () => it.hasButton() === false);
  });

  it('keeps what is queued from starting it again', async () => {
    const it = await working({ lists: true });
    const posts = () =>
      it.service.requests.filter(({ method, path }) => path.endsWith('/messages') && method === 'POST')
        .length;
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
    assert.deepEqual(
      [queued(it.window), posts()],
      [['And that'], 0],
      'the next one waits for the person, too',
    );
  });

  it('is done from the row of the session, too, and then what is queued rests', async () => {
    const it = await working({ lists: true });
    await queueUp(it.window, 'And then this');
    it.work.rest();
    await chatOf(it.window, it.client).commands.stop({ kind: 'session', sessionId: it.sessionId });
    assert.equal(it.stops(), 1);
    await until(it.heard, () => /^You stopped/.test(it.window.conversation.queued[0]?.sentence ?? ''));
  });

  it('is not offered where the service has no list of sessions, or it may not be used', async () => {
    assert.equal((await working({ lists: false })).hasButton(), false);
    assert.equal((await working({ lists: true, used: false })).hasButton(), false);
  });

  it('says why it failed, is not tried again, and goes where it is not offered', async () => {
    const it = await working({ lists: true });
    await queueUp(it.window, 'And then this');
    const fault = it.service.fail({ kind: 'status', status: 500, match: { method: 'POST' } });
    const failed = await it.stop();
    assert.match(failed.reason ?? '', /^The agent could not be stopped\. .*500/);
    assert.equal(it.stops(), 1);
    assert.equal(it.window.conversation.isQueueStopped, false, 'what is queued goes on');
    assert.equal(it.hasButton(), true, 'it may do better the next time');
    fault.dispose();
    it.service.fail({ kind: 'status', status: 405, match: { method: 'POST' } });
    assert.match((await it.stop()).reason ?? '', /^The agent could not be stopped\./);
    await until(it.heard, () => it.hasButton() === false);
  });
});
