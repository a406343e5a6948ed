import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Row } from '../../src/chat/protocol';
import { List, type ListHandle } from './list';
import { keepScroll, keptScroll, panel } from './page';
import { RowView } from './rows';
import { announcement, endWanted, fill, start, transcript, transcriptProblem } from './state';

/** The transcript with its empty and loading states, and the way back to the end. */
export function Transcript() {
  const strings = start.value?.strings;
  const known = transcript.value;
  const [following, setFollowing] = useState(true);
  const [unseen, setUnseen] = useState(0);
  const list = useRef<ListHandle | undefined>(undefined);
  const count = useRef(0);
  const [initial] = useState(keptScroll);

  useEffect(() => {
    const messages = known.rows.filter(row => row.kind === 'message').length;
    const added = messages - count.current;
    count.current = messages;
    if (added > 0 && known.from > 0 && !following) setUnseen(unseen + added);
  }, [known]);
  useEffect(() => {
    if (following) setUnseen(0);
  }, [following]);

  useEffect(() => {
    if (endWanted.value > 0) list.current?.toEnd();
  }, [endWanted.value]);

  const render = useCallback((row: Row) => <RowView row={row} />, []);
  if (strings === undefined || known.total === undefined) {
    const problem = transcriptProblem.value;
    return (
      <main class="transcript">
        {problem === undefined ? (
          <p class="loading">{strings?.loading}</p>
        ) : (
          <p class="problem">
            <span class="codicon codicon-error" aria-hidden="true" />
            {problem}
          </p>
        )}
      </main>
    );
  }
  return (
    <main class="transcript" onClick={click}>
      <h2 class="unseen">{strings.transcript}</h2>
      <List
        rows={known}
        render={render}
        label={strings.transcript}
        initial={initial}
        onFollowing={setFollowing}
        onRest={keepScroll}
        handle={made => (list.current = made)}
      />
      {known.total === 0 ? (
        <div class="empty">
          <span class="codicon codicon-comment" aria-hidden="true" />
          <h2>{strings.emptyTitle}</h2>
          <p>{strings.emptyHint}</p>
        </div>
      ) : null}
      {following ? null : (
        <button
          type="button"
          class="to-latest"
          title={strings.toLatest}
          onClick={() => list.current?.toEnd()}
        >
          {unseen === 0 ? strings.toLatest : fill(strings.newMessages, String(unseen))}
          <span class="codicon codicon-arrow-down" aria-hidden="true" />
        </button>
      )}
    </main>
  );
}

/** Links and copy buttons inside rendered Markdown. Nothing reaches the editor's own handling of links. */
function click(event: MouseEvent): void {
  const target = event.target instanceof Element ? event.target : undefined;
  const link = target?.closest('a');
  if (link) {
    event.preventDefault();
    event.stopPropagation();
    panel.notify('openLink', { href: link.href });
    return;
  }
  const button = target?.closest('button[data-copy]');
  const code = button?.closest('.code')?.querySelector('pre')?.textContent;
  if (code === undefined || !button) return;
  panel.notify('copy', { text: code });
  announcement.value = start.value?.strings.copied ?? '';
  const icon = button.firstElementChild;
  icon?.classList.replace('codicon-copy', 'codicon-check');
  setTimeout(() => icon?.classList.replace('codicon-check', 'codicon-copy'), 1500);
}
