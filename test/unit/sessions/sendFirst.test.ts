import assert from 'node:assert/strict';
import { sendFirst, type ChatForNewSessions, type FirstSent } from '../../../src/sessions/sendFirst';

const message = { sessionId: 's1', text: 'Begin', files: [] };

describe('the first message of a session that has just been made', () => {
  const send = async (
    failure: Error | undefined,
    canDraft = true,
  ): Promise<{ sent: FirstSent; drafts: unknown[]; sends: unknown[] }> => {
    const [drafts, sends] = [[] as unknown[], [] as unknown[]];
    const chat: ChatForNewSessions = {
      send: each => {
        sends.push(each);
        return failure === undefined ? Promise.resolve() : Promise.reject(failure);
      },
      draft: each => {
        if (!canDraft) return Promise.reject(new Error('the disk is full'));
        drafts.push(each);
        return Promise.resolve();
      },
    };
    return { sent: await sendFirst(chat, message), drafts, sends };
  };

  it('is nobody’s to send again once it was accepted', async () => {
    const { sent, drafts, sends } = await send(undefined);
    assert.deepEqual([sent, drafts], [{ isSafe: true }, []]);
    assert.deepEqual(sends, [{ sessionId: 's1', text: 'Begin', attachments: [] }]);
  });

  it('goes into the draft of the session when it never left', async () => {
    const error = new Error('notes.bin is too large');
    const { sent, drafts } = await send(error);
    assert.deepEqual(sent, { isSafe: true, error });
    assert.deepEqual(drafts, [message]);
  });

  it('stays where it is decided about when it may have arrived', async () => {
    const error = Object.assign(new Error('no answer'), { recorded: true });
    const { sent, drafts } = await send(error);
    assert.deepEqual(sent, { isSafe: true, error });
    assert.deepEqual(drafts, []);
  });

  it('is kept for the next try where the draft cannot take it either', async () => {
    const error = new Error('signed out');
    const { sent } = await send(error, false);
    assert.deepEqual(sent, { isSafe: false, error });
  });

  it('is not sent when it is empty', async () => {
    const chat: ChatForNewSessions = { send: () => assert.fail('sent'), draft: () => assert.fail('drafted') };
    assert.deepEqual(await sendFirst(chat, { ...message, text: ' \n' }), { isSafe: true });
  });
});
