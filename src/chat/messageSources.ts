import { MessageList } from './messageList';
import { toStored } from './messages';
import type { ConversationOptions } from './conversationOptions';
import { Reader } from './reader';
import type { Transcript } from './transcript';

/** The ways to read the messages of a session: the list some services offer, and the documented walk. */
export function messageSources(
  { sessionId, api, extras, describe, log }: ConversationOptions,
  transcript: Transcript,
): { readonly list: MessageList; readonly walk: Reader } {
  const list = new MessageList({
    transcript,
    page: () => {
      const client = extras?.() === true ? api() : undefined;
      if (client === undefined) return undefined;
      return (cursor, signal) => client.extras.messages(sessionId, cursor, { signal });
    },
    onFailure: error => log.warn(`The list of messages could not be read: ${describe(error) ?? ''}`),
  });
  const get = () => {
    const client = api();
    if (client === undefined) return undefined;
    return async (messageId: string, signal: AbortSignal) =>
      toStored(messageId, await client.messages.get(sessionId, messageId, { signal }));
  };
  return { list, walk: new Reader({ transcript, get, describe }) };
}
