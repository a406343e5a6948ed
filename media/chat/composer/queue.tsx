import * as l10n from '@vscode/l10n';
import type { Composer } from '../../../src/chat/protocol';
import { Icon, IconButton } from '../controls';
import { ask, panel } from '../page';

interface QueueProps {
  readonly known: Composer;
  /** After one was removed: the button that was pressed goes, and the focus must not go with it. */
  readonly onRemoved: () => void;
}

/** What waits until the agent is idle: read, taken back and removed here. */
export function Queue({ known: { queue, queueNote, queueStopped }, onRemoved }: QueueProps) {
  if (queue.length === 0) return null;
  return (
    <section class="queue" aria-label={l10n.t('Queued messages')}>
      <p class="queue-note quiet">
        <Icon name={queueStopped ? 'debug-pause' : 'list-ordered'} />
        {queueNote}
      </p>
      <ol>
        {queue.map(({ id, text, chips, problem }) => (
          <li key={id} class="queued">
            <div class="queued-text" title={text}>
              {text}
              {chips.map(({ name, title }, at) => (
                <span class="quiet" key={at} title={title}>
                  <Icon name="attach" />
                  {name}
                </span>
              ))}
              {problem && <p class="problem">{problem}</p>}
            </div>
            <IconButton
              icon="edit"
              label={l10n.t('Take "{0}" back into the composer', text.slice(0, 60))}
              onClick={() => void ask(panel.request('takeBack', { id }))}
            />
            <IconButton
              icon="close"
              label={l10n.t('Remove "{0}" from the queue', text.slice(0, 60))}
              onClick={() => void ask(panel.request('discard', { id })).then(onRemoved)}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}
