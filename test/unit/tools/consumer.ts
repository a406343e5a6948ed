import type { AgentConsole, Message, SessionChange } from '../../../api';

/** Another extension, as its author would write it: it needs `api.d.ts` and nothing else. */
export async function activate(agentConsole: AgentConsole, extensionId = 'ann.consumer') {
  const api = await agentConsole.getApi(1);
  const heard: SessionChange[] = [];
  const listening = api.onDidChangeSession(change => heard.push(change));

  /** Everything that was said in a session, the oldest first. */
  async function* transcript(sessionId: string): AsyncGenerator<Message> {
    const pages: (readonly Message[])[] = [];
    for (let before: string | undefined, isMore = true; isMore;) {
      const { messages, hasEarlier } = await api.messages(sessionId, { extensionId, before });
      pages.unshift(messages);
      isMore = hasEarlier;
      before = messages[0]?.id;
    }
    for (const messages of pages) yield* messages;
  }

  return {
    api,
    heard,
    transcript,
    waiting: async () => (await api.sessions()).filter(({ isWaiting }) => isWaiting),
    deactivate: () => {
      listening.dispose();
    },
  };
}
