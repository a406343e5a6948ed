import * as l10n from '@vscode/l10n';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { MAX_TEXT, type Composer as Known } from '../../src/chat/protocol';
import { Icon, IconButton, Notice } from './controls';
import {
  announce,
  ask,
  composer,
  keepNext,
  keepUnsaved,
  onComposerChange,
  panel,
  remark,
  sendText,
  start,
  tellDraft,
} from './page';
import { Attached, attachFiles, filesOf, insert, listenForDrops, type OnRemoved } from './attachments';

/** Where a message is written: text, attachments, what is queued, and why it cannot be sent when it cannot. */
export function Composer() {
  const known = composer.value;
  const ref = useRef<HTMLTextAreaElement>(null);
  const held = useRef({
    /** The send key was pressed while another message, or what goes with this one, was being made ready. */
    wanted: false,
    /** Earlier messages, the latest first, and which one is shown (-1: none). */
    walk: { texts: [] as readonly string[], at: -1 },
  }).current;
  const { walk } = held;
  const [empty, setEmpty] = useState(true);
  /** A message is on its way to the panel, which has not said yet that it is recorded. */
  const recording = useSignal(false);
  /** So much of what goes with the message is not there yet. */
  const attaching = useSignal(0);
  const [dragging, setDragging] = useState(false);

  const text = (): string => ref.current?.value ?? '';
  const focus = (): void => ref.current?.focus();
  const changed = (): void => setEmpty(text().trim() === '');
  const tell = (): void => tellDraft(text());
  /** Puts a text into the field, with the cursor there or at its end. */
  const show = (shown: string, at = shown.length): void => {
    if (ref.current === null) return;
    ref.current.value = shown;
    ref.current.setSelectionRange(at, at);
    changed();
  };

  /** A message never goes without what was meant to go with it. */
  const attach = (question: Promise<void>): void => {
    attaching.value++;
    void ask(question).then(isDone => {
      held.wanted &&= isDone;
      attaching.value--;
    });
  };

  useLayoutEffect(() => {
    onComposerChange(({ text: given, focus: wantsFocus, ask: wantsText }) => {
      if (given !== undefined && text() !== given) {
        walk.at = -1;
        keepUnsaved(undefined);
        // What came behind what is being written does not move the cursor.
        show(given, wantsFocus || !given.startsWith(text()) ? undefined : ref.current?.selectionEnd);
      }
      if (wantsText === true && text().trim() === '' && ref.current !== null)
        insert(ref.current, l10n.t('Thanks. Please wait while I read your answer.'));
      if (wantsFocus) focus();
    });
    if (ref.current === null) return;
    ref.current.value = start.value?.draft ?? '';
    changed();
    if (start.value?.focus === true) {
      // A page may come late: whoever writes elsewhere by now, in the palette say, keeps the cursor.
      if (document.hasFocus()) focus();
      else window.addEventListener('focus', focus, { once: true });
    }
    return listenForDrops(ref.current, setDragging, attach);
  }, []);

  const chips = known?.chips ?? [];
  const waiting = recording.value || attaching.value > 0 || known?.sending === true;
  const obstacle = known?.obstacle;
  const why = obstacle ?? (empty ? l10n.t('Write a message first.') : undefined);

  const send = async (): Promise<void> => {
    const sent = text();
    held.wanted = waiting && sent.trim() !== '';
    if (sent.trim() === '' || waiting || obstacle !== undefined) {
      announce(why ?? '');
      focus();
      return;
    }
    walk.at = -1;
    const queued = known?.queues === true;
    // What is typed from now on is the next message; it is told when this one is recorded.
    recording.value = true;
    show('');
    const recorded = await sendText(sent, queued);
    recording.value = false;
    const since = text();
    if (!recorded) {
      held.wanted = false;
      show(since === '' ? sent : `${sent}\n\n${since}`);
    }
    if (!recorded || since !== '') tell();
    if (recorded && queued) announce(l10n.t('Queued. {0}', composer.value?.queueNote ?? ''));
    focus();
  };

  useEffect(() => {
    if (!waiting && held.wanted) void send();
  }, [waiting]);

  const older = async (): Promise<void> => {
    if (walk.at < 0) {
      walk.texts = await panel.request('history', {});
      // Written meanwhile.
      if (text() !== '') return;
    }
    const earlier = walk.texts[walk.at + 1];
    if (earlier === undefined) return;
    walk.at++;
    show(earlier, 0);
  };
  const newer = (): void => {
    walk.at--;
    show(walk.texts[walk.at] ?? '');
  };

  const keyDown = (event: KeyboardEvent): void => {
    const field = ref.current;
    if (field === null || known === undefined) return;
    if (sends(event, known.sendKey)) {
      event.preventDefault();
      void send();
      return;
    }
    const modified = event.ctrlKey || event.metaKey;
    if (event.isComposing || event.shiftKey || event.altKey) return;
    const { selectionStart: from, selectionEnd: to, value } = field;
    const atEdge = !modified && from === to && (from === 0 || from === value.length);
    if (event.key === 'ArrowUp' && atEdge && (value === '' || walk.at >= 0)) {
      event.preventDefault();
      void older();
    } else if (event.key === 'ArrowDown' && atEdge && walk.at >= 0) {
      event.preventDefault();
      newer();
    } else if (event.key === 'Escape') {
      if (walk.at >= 0) show('');
      walk.at = -1;
      remark.value = undefined;
    } else if (modified && event.key.toLowerCase() === 'a') {
      event.preventDefault();
      event.stopPropagation();
      field.select();
    }
  };

  const input = (): void => {
    remark.value = undefined;
    held.wanted = false;
    // An earlier message that is changed becomes the draft.
    walk.at = -1;
    changed();
    if (recording.value) keepNext(text());
    else tell();
  };

  const paste = (event: ClipboardEvent): void => {
    const data = event.clipboardData;
    if (data === null || known === undefined) return;
    const files = filesOf(data);
    const given = data.getData('text/plain').replace(/\r\n?/g, '\n');
    if (files.length > 0) {
      event.preventDefault();
      attach(attachFiles(files));
    } else if (text().length + given.length > MAX_TEXT) {
      event.preventDefault();
      const file = new File([given], `${l10n.t('pasted text')}.txt`, { type: 'text/plain' });
      attach(attachFiles([file]));
    }
  };

  const notices = [remark.value, known?.problem, obstacle].filter(notice => notice !== undefined);
  return (
    <footer class="composer">
      {known && <Queue {...known} onRemoved={focus} />}
      {[...new Set(notices)].map(notice => (
        <Notice icon="warning" key={notice}>
          {notice}
        </Notice>
      ))}
      <div class={`box${dragging ? ' dragging' : ''}`}>
        <Attached chips={chips} onRemoved={focus} />
        <textarea
          ref={ref}
          class="field"
          rows={1}
          dir="auto"
          aria-label={l10n.t('Message to the agent')}
          placeholder={
            dragging ? l10n.t('Drop to attach') : l10n.t('Message the agent. Hold Shift to drop files here.')
          }
          maxLength={MAX_TEXT}
          onInput={input}
          onKeyDown={keyDown}
          onPaste={paste}
        />
        <div class="toolbar bar">
          <IconButton
            icon="attach"
            label={l10n.t('Attach files')}
            title={l10n.t(
              'Attach files, or drop them here while holding Shift or on a session in the Sessions view',
            )}
            onClick={() => void ask(panel.request('attach', {}))}
          />
          {known && known.target !== '' && (
            <button
              type="button"
              class="target flat bar"
              title={l10n.t('Choose the computer this message goes to')}
              onClick={() => void ask(panel.request('chooseTarget', {}))}
            >
              <span class="one-line">{l10n.t('Send to {0}', known.target)}</span>
              <Icon name="chevron-down" />
            </button>
          )}
          <span class="quiet small total one-line" title={known?.total}>
            {known?.total}
          </span>
          {known?.canStop === true && (
            <IconButton
              icon="debug-stop"
              label={l10n.t('Stop the agent')}
              onClick={({ currentTarget: button }) => {
                // Sent once for each press that was answered.
                button.disabled = true;
                void ask(panel.request('stop', {})).finally(() => (button.disabled = false));
                focus();
              }}
            />
          )}
          <button
            type="button"
            class="primary"
            title={why}
            aria-disabled={why !== undefined || waiting}
            onClick={() => void send()}
          >
            <Icon name={waiting ? 'sync spin' : 'send'} />
            <span>{known?.queues === true ? l10n.t('Queue') : l10n.t('Send')}</span>
            <span class="key" aria-hidden="true">
              {known?.sendKey === 'ctrl+enter' ? l10n.t('Ctrl+Enter') : l10n.t('Enter')}
            </span>
          </button>
        </div>
      </div>
    </footer>
  );
}

/** Whether this key sends. While an input method composes, Enter belongs to it; some say so only by the key code. */
function sends(
  event: Omit<KeyboardEvent, 'keyCode'> & { readonly keyCode: number },
  sendKey: Known['sendKey'],
): boolean {
  if (event.key !== 'Enter' || event.shiftKey || event.altKey) return false;
  if (event.isComposing || event.keyCode === 229) return false;
  return sendKey === 'enter' || event.ctrlKey || event.metaKey;
}

/** What waits until the agent is idle: read, taken back and removed here. */
function Queue({ queue, queueNote, queueStopped, onRemoved }: Known & OnRemoved) {
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
                  {' '}
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
