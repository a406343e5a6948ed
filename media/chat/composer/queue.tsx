import type { ChatStrings, Composer } from '../../../src/chat/protocol';
import { ask, panel } from '../page';
import { fill } from '../state';
import { Icon, IconButton } from '../controls';

interface QueueProps {
  readonly known: Composer;
  readonly strings: ChatStrings;
  /** After one was removed: the button that was pressed goes, and the focus must not go with it. */
  readonly onRemoved: () => void;
}

/** What waits until the agent is idle: read, taken back and removed here. */
export function Queue({ known: { queue, queueNote, queueStopped }, strings, onRemoved }: QueueProps) {
  if (queue.length === 0) return null;
  return (
    <section class="queue" aria-label={strings.queue}>
      <p class="queue-note">
        <Icon name={queueStopped ? 'debug-pause' : 'list-ordered'} />
        {queueNote}
      </p>
      <ol>
        {queue.map(row => (
          <li key={row.id} data-id={row.id} class="queued">
            <div class="queued-text" title={row.text}>
              {row.text}
              {row.chips.map((chip, at) => (
                <span class="quiet" key={at} title={chip.title}>
                  <Icon name="attach" />
                  {chip.name}
                </span>
              ))}
              {row.problem === undefined ? null : <p class="problem">{row.problem}</p>}
            </div>
            <IconButton
              icon="edit"
              label={fill(strings.takeBackQueued, row.text.slice(0, 60))}
              onClick={() => void ask(panel.request('takeBackQueued', { id: row.id }))}
            />
            <IconButton
              icon="close"
              label={fill(strings.removeQueued, row.text.slice(0, 60))}
              onClick={() => void ask(panel.request('removeQueued', { id: row.id })).then(onRemoved)}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}
