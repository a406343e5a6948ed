import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { MAX_TEXT, type ChatStrings, type Composer, type QueuedRow } from '../../src/chat/protocol';
import { sends } from './keys';
import { ask, panel } from './page';
import { announcement, fill } from './state';

/** Where the focus goes when the queue has been drawn again: a button of a message. */
interface Wanted {
  readonly id: string;
  readonly act: string;
}

interface QueueProps {
  readonly known: Composer;
  readonly strings: ChatStrings;
  /** A message went while it was being changed: what was written for it. */
  readonly onLeft: (text: string) => void;
}

/** What waits until the agent is idle: read, changed, moved and removed here. */
export function Queue({ known, strings, onLeft }: QueueProps) {
  const { queue, queueNote, queueStopped } = known;
  /** What a page before this one was changing. */
  const [left, setLeft] = useState(known.changing);
  const [editing, setEditing] = useState<string | undefined>(left?.id);
  /** Of the message that is changed, where the row has not all of it. */
  const [whole, setWhole] = useState<string>();
  const begin = async ({ id, isCut }: QueuedRow): Promise<void> => {
    setWhole(isCut ? await panel.request('queuedText', { id }) : undefined);
    edit(id);
  };
  const edit = (id: string | undefined): void => {
    setLeft(undefined);
    setEditing(id);
    panel.notify('editingQueued', { id });
  };
  useEffect(() => {
    if (left === undefined) return;
    if (queue.some(({ id }) => id === left.id)) {
      panel.notify('editingQueued', left);
      return;
    }
    edit(undefined);
    onLeft(left.text);
  }, []);
  const wanted = useRef<Wanted | undefined>(undefined);
  const list = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => {
    const { current: want } = wanted;
    if (want === undefined) return;
    wanted.current = undefined;
    const row = [...(list.current?.children ?? [])].find(item => item.getAttribute('data-id') === want.id);
    const button = row?.querySelector<HTMLButtonElement>(`button[data-act="${want.act}"]:not(:disabled)`);
    (button ?? row?.querySelector('button'))?.focus();
  });
  if (queue.length === 0) return null;

  const move = (row: QueuedRow, to: number, act: string): void => {
    if (to < 0 || to >= queue.length) return;
    void ask(panel.request('moveQueued', { id: row.id, to })).then(done => {
      if (!done) return;
      wanted.current = { id: row.id, act };
      announcement.value = fill(strings.movedTo, String(to + 1), String(queue.length));
    });
  };
  return (
    <section class="queue" aria-label={strings.queue}>
      <div class="queue-head">
        <span class={`codicon codicon-${queueStopped ? 'debug-pause' : 'list-ordered'}`} aria-hidden="true" />
        <span class="queue-note">{queueNote}</span>
        <button type="button" class="link" onClick={() => void ask(panel.request('sendQueuedNow', {}))}>
          {strings.sendNow}
        </button>
      </div>
      <ol ref={list}>
        {queue.map((row, index) => (
          <li
            key={row.id}
            data-id={row.id}
            class="queued"
            onKeyDown={event => {
              const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
              if (step === 0 || !event.altKey || editing === row.id) return;
              event.preventDefault();
              move(row, index + step, step < 0 ? 'up' : 'down');
            }}
          >
            {editing === row.id ? (
              <Editing
                row={row}
                whole={whole}
                begun={left?.id === row.id ? left.text : undefined}
                known={known}
                strings={strings}
                onDone={() => {
                  wanted.current = { id: row.id, act: 'edit' };
                  edit(undefined);
                }}
                onLeft={text => {
                  edit(undefined);
                  onLeft(text);
                }}
              />
            ) : (
              <>
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
                  <Act name="edit" label={strings.editQueued} row={row} act={() => void ask(begin(row))} />
                  <Act
                    name="up"
                    icon="arrow-up"
                    label={strings.moveUp}
                    row={row}
                    off={index === 0}
                    act={() => move(row, index - 1, 'up')}
                  />
                  <Act
                    name="down"
                    icon="arrow-down"
                    label={strings.moveDown}
                    row={row}
                    off={index === queue.length - 1}
                    act={() => move(row, index + 1, 'down')}
                  />
                  <Act
                    name="remove"
                    icon="close"
                    label={strings.removeQueued}
                    row={row}
                    act={() => {
                      const next = queue[index + 1] ?? queue[index - 1];
                      if (next !== undefined) wanted.current = { id: next.id, act: 'remove' };
                      void ask(panel.request('removeQueued', { id: row.id }));
                    }}
                  />
                </div>
              </>
            )}
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
  readonly off?: boolean;
  readonly act: () => void;
}

function Act({ name, icon = name, label, row, off = false, act }: ActProps) {
  const words = fill(label, row.text.slice(0, 60));
  return (
    <button
      type="button"
      class="icon-button"
      data-act={name}
      title={words}
      aria-label={words}
      disabled={off || row.leaving}
      onClick={act}
    >
      <span class={`codicon codicon-${icon}`} aria-hidden="true" />
    </button>
  );
}

interface EditingProps {
  readonly row: QueuedRow;
  readonly whole: string | undefined;
  /** What was written before this page was built. */
  readonly begun: string | undefined;
  readonly known: Composer;
  readonly strings: ChatStrings;
  readonly onDone: () => void;
  /** The row went while it was changed. */
  readonly onLeft: (text: string) => void;
}

function Editing({ row, whole, begun, known, strings, onDone, onLeft }: EditingProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const written = whole ?? row.raw ?? row.text;
  /** Set while what is written here is nowhere else. */
  const unsaved = useRef<string | undefined>(begun);
  useLayoutEffect(() => {
    const end = field.current?.value.length ?? 0;
    field.current?.focus();
    // To go on writing, as in the composer.
    field.current?.setSelectionRange(end, end);
  }, []);
  useEffect(
    () => () => {
      if (unsaved.current !== undefined) onLeft(unsaved.current);
    },
    [],
  );
  const done = (): void => {
    unsaved.current = undefined;
    onDone();
  };
  const save = (): void => {
    const text = field.current?.value ?? '';
    if (text.trim() === '') return;
    void ask(panel.request('editQueued', { id: row.id, text })).then(saved => {
      if (saved) done();
    });
  };
  return (
    <div class="queued-edit">
      <textarea
        class="field"
        ref={field}
        aria-label={strings.queuedText}
        defaultValue={begun ?? written}
        maxLength={MAX_TEXT}
        onInput={({ currentTarget: { value } }) => {
          unsaved.current = value.trim() === '' || value === written ? undefined : value;
          panel.notify('editingQueued', { id: row.id, text: unsaved.current });
        }}
        onKeyDown={event => {
          // The input method's own.
          if (event.isComposing) return;
          if (event.key === 'Escape') done();
          else if (sends(event, known.sendKey, false)) save();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <div class="actions">
        <button type="button" class="primary" onClick={save}>
          {strings.save}
        </button>
        <button type="button" class="secondary" onClick={done}>
          {strings.cancel}
        </button>
      </div>
    </div>
  );
}
