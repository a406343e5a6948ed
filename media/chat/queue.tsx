import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ChatStrings, Composer, QueuedRow } from '../../src/chat/protocol';
import { ask, panel } from './page';
import { fill } from './state';

interface QueueProps {
  readonly known: Composer;
  readonly strings: ChatStrings;
}

/** What waits until the agent is idle: read, taken back and removed here. */
export function Queue({ known, strings }: QueueProps) {
  const { queue, queueNote, queueStopped } = known;
  /** The message whose button gets the focus when the queue has been drawn again. */
  const wanted = useRef<string | undefined>(undefined);
  const list = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => {
    const { current: id } = wanted;
    if (id === undefined) return;
    wanted.current = undefined;
    const row = [...(list.current?.children ?? [])].find(item => item.getAttribute('data-id') === id);
    row?.querySelector<HTMLButtonElement>('button[data-act="remove"]')?.focus();
  });
  if (queue.length === 0) return null;
  return (
    <section class="queue" aria-label={strings.queue}>
      <div class="queue-head">
        <span class={`codicon codicon-${queueStopped ? 'debug-pause' : 'list-ordered'}`} aria-hidden="true" />
        <span class="queue-note">{queueNote}</span>
      </div>
      <ol ref={list}>
        {queue.map((row, index) => (
          <li key={row.id} data-id={row.id} class="queued">
            <div class="queued-text" title={row.text}>
              {row.text}
              {row.chips.map((chip, at) => (
                <span class="quiet" key={at} title={chip.title}>
                  <span class="codicon codicon-attach" aria-hidden="true" />
                  {chip.name}
                </span>
              ))}
              {row.problem === undefined ? null : <p class="problem">{row.problem}</p>}
            </div>
            <div class="queued-acts">
              <Act
                name="edit"
                label={strings.takeBackQueued}
                row={row}
                act={() => void ask(panel.request('takeBackQueued', { id: row.id }))}
              />
              <Act
                name="remove"
                icon="close"
                label={strings.removeQueued}
                row={row}
                act={() => {
                  wanted.current = (queue[index + 1] ?? queue[index - 1])?.id;
                  void ask(panel.request('removeQueued', { id: row.id }));
                }}
              />
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

interface ActProps {
  readonly name: string;
  readonly icon?: string;
  readonly label: string;
  readonly row: QueuedRow;
  readonly act: () => void;
}

function Act({ name, icon = name, label, row, act }: ActProps) {
  const words = fill(label, row.text.slice(0, 60));
  return (
    <button type="button" class="icon-button" data-act={name} title={words} aria-label={words} onClick={act}>
      <span class={`codicon codicon-${icon}`} aria-hidden="true" />
    </button>
  );
}
