import * as l10n from '@vscode/l10n';
import { useEffect, useRef } from 'preact/hooks';
import type { Row } from '../../../src/chat/protocol';
import { Icon, Notice } from '../controls';
import { ask, copied, endWanted, finding, following, panel, told, transcript } from '../page';
import { FindBar } from './find';
import { List, type Place } from './list';

/** The transcript with its empty and loading states, and the way back to the end. */
export function Transcript() {
  const known = transcript.value;
  const list = useRef<Place | undefined>(undefined);
  /** The last message when the reader was at the end. */
  const seen = useRef<string | undefined>(undefined);

  if (following.value || seen.current === undefined) seen.current = known.rows.findLast(isMessage)?.key;
  const unseen = following.value ? 0 : messagesAfter(known.rows, seen.current);

  useEffect(() => {
    const keyDown = (event: KeyboardEvent): void => {
      const command = /mac/i.test(navigator.platform) ? event.metaKey : event.ctrlKey;
      if (!command || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'f') return;
      event.preventDefault();
      finding.value = {};
    };
    window.addEventListener('keydown', keyDown);
    return () => window.removeEventListener('keydown', keyDown);
  }, []);

  useEffect(() => {
    if (endWanted.value > 0) list.current?.toEnd();
  }, [endWanted.value]);

  if (known.total === undefined) {
    const problem = told.value?.transcriptProblem;
    return (
      <main class="transcript">
        {problem === undefined ? (
          <p class="loading quiet">{l10n.t('Loading')}</p>
        ) : (
          <Notice icon="error">{problem}</Notice>
        )}
      </main>
    );
  }
  const toLatest = l10n.t('To the latest message');
  return (
    <main class="transcript" onClick={click} onKeyDown={pressed}>
      {finding.value !== undefined && <FindBar list={list} />}
      <h2 class="unseen">{l10n.t('Transcript')}</h2>
      <List rows={known} handle={list} />
      {known.total === 0 && (
        <div class="empty quiet">
          <Icon name="comment" />
          <h2>{l10n.t('No messages yet')}</h2>
          <p>
            {l10n.t(
              'Write to the agent below. To attach files, right-click them in the Explorer, paste them, or drop them: here while holding Shift, or on a session in the Sessions view.',
            )}
          </p>
        </div>
      )}
      {!following.value && (
        <button type="button" class="to-latest bar" title={toLatest} onClick={() => list.current?.toEnd()}>
          {unseen === 0 ? toLatest : l10n.t('{0} new', unseen)}
          <Icon name="arrow-down" />
        </button>
      )}
    </main>
  );
}

const isMessage = (row: Row): boolean => row.kind === 'message' && row.send === undefined;

function messagesAfter(rows: readonly Row[], key: string | undefined): number {
  const from = rows.findLastIndex(row => row.key === key);
  return from < 0 ? 0 : rows.slice(from + 1).filter(isMessage).length;
}

function openPath(target: Element | undefined): boolean {
  const path = target?.closest('.path')?.textContent;
  if (path !== undefined) void ask(panel.request('openPath', { path }));
  return path !== undefined;
}

/** Names of files take Enter as links do. */
function pressed(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.target instanceof Element) || !event.target.matches('.path')) return;
  event.preventDefault();
  openPath(event.target);
}

/** Links, names of files and the buttons of code inside rendered Markdown. Nothing reaches the editor's own handling of links. */
function click(event: MouseEvent): void {
  const target = event.target instanceof Element ? event.target : undefined;
  if (openPath(target)) return;
  const link = target?.closest('a');
  if (link) {
    event.preventDefault();
    event.stopPropagation();
    panel.notify('openLink', { href: link.href });
    return;
  }
  const button = target?.closest<HTMLElement>('button[data-act]');
  const text = button?.closest('.code')?.querySelector('pre')?.textContent;
  if (text === undefined || !button) return;
  const { act } = button.dataset;
  if (act === 'copy') {
    panel.notify('copy', { text });
    copied(button);
  } else if (act === 'insertCode' || act === 'compareDiff' || act === 'applyDiff')
    void ask(panel.request(act, { text }));
}
