import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { MAX_TEXT } from '../../src/chat/protocol';
import { Attached } from './attached';
import { fit, insert } from './field';
import { LONG_PASTE, attachFiles, attachText, attachUris, filesOf, mayHoldFiles, urisOf } from './given';
import { language } from './format';
import { HistoryWalk, sends } from './keys';
import { ask, keepUnsaved, onComposerChange, panel, sendDraft, tellDraft } from './page';
import { Queue } from './queue';
import { announcement, asked, composer, endWanted, fill, refusal, rejected, start } from './state';

/** Texts up to this length reach the panel with each keystroke: a page that is hidden tells nothing any more. */
const AT_ONCE = 10_000;
/** In longer ones, keystrokes that come together reach it together, ms. */
const GATHER = 100;

/** Where a message is written: text, attachments, what is queued, and why it cannot be sent when it cannot. */
export function Composer() {
  const strings = start.value?.strings;
  const known = composer.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const pending = useRef<number | undefined>(undefined);
  const composing = useRef(false);
  /** A message is on its way to the panel, which has not said yet that it is recorded. */
  const recording = useRef(false);
  const stash = useRef<string | undefined>(undefined);
  /** The send key was pressed while another message was being made ready. */
  const wanted = useRef(false);
  const [walk] = useState(() => new HistoryWalk());
  const [empty, setEmpty] = useState(true);
  const [starting, setStarting] = useState(false);
  const [pasted, setPasted] = useState<string | undefined>(undefined);
  const [dragging, setDragging] = useState(false);

  const changed = (): void => {
    if (field.current === null) return;
    setEmpty(field.current.value.trim() === '');
    fit(field.current);
  };
  const forget = (): void => {
    clearTimeout(pending.current);
    pending.current = undefined;
  };
  const tell = (): void => {
    forget();
    tellDraft(field.current?.value ?? '', stash.current);
  };
  const tellIfPending = (): void => {
    if (pending.current !== undefined || (recording.current && field.current?.value !== '')) tell();
  };
  /** Puts a text into the field, with the cursor at its beginning or end. */
  const show = (text: string, cursor: 'start' | 'end'): void => {
    if (field.current === null) return;
    field.current.value = text;
    const at = cursor === 'start' ? 0 : text.length;
    field.current.setSelectionRange(at, at);
    changed();
  };

  const begun = start.value;
  useLayoutEffect(() => {
    if (field.current === null || begun === undefined) return;
    walk.end();
    stash.current = begun.stash;
    field.current.value = begun.draft;
    changed();
    if (begun.focus) field.current.focus();
  }, [begun]);
  useEffect(() => {
    const stop = onComposerChange(({ text, stash: aside, focus }) => {
      if (field.current === null) return;
      if (aside !== undefined) {
        stash.current = aside;
        if (text === undefined) tell();
      }
      if (text !== undefined && field.current.value !== text) {
        forget();
        walk.end();
        keepUnsaved(undefined);
        show(text, 'end');
      }
      if (focus) field.current.focus();
    });
    document.addEventListener('visibilitychange', tellIfPending);
    window.addEventListener('pagehide', tellIfPending);
    return () => {
      stop();
      document.removeEventListener('visibilitychange', tellIfPending);
      window.removeEventListener('pagehide', tellIfPending);
    };
  }, []);
  useEffect(() => listenToPage(field, setDragging), []);
  useEffect(() => {
    if (asked.value === 0 || field.current === null || strings === undefined) return;
    if (field.current.value.trim() === '') insert(field.current, strings.askingText);
    field.current.focus();
  }, [asked.value]);

  const chips = known?.chips ?? [];
  const waiting = starting || known?.sending === true;
  const refusedFiles = rejected.value.length > 0 || chips.some(chip => chip.problem !== undefined);
  const obstacle = known?.blocked ?? (refusedFiles ? strings?.fixAttachments : undefined) ?? known?.tooMuch;

  const send = async (): Promise<void> => {
    const text = field.current?.value ?? '';
    wanted.current = waiting && text.trim() !== '';
    if (field.current === null || text.trim() === '' || waiting || obstacle !== undefined) {
      announcement.value = obstacle ?? '';
      return;
    }
    if (walk.isAway) {
      stash.current = walk.draft === '' ? undefined : walk.draft;
      walk.end();
      tell();
    }
    forget();
    setPasted(undefined);
    setStarting(true);
    const queued = known?.queues === true;
    const aside = stash.current ?? '';
    // What is typed from now on is the next message; it is told when this one is recorded.
    recording.current = true;
    show(aside, 'end');
    const recorded = await sendDraft(text);
    recording.current = false;
    setStarting(false);
    const since = field.current.value;
    if (recorded) {
      stash.current = undefined;
      if (since !== '' || aside !== '') tell();
    } else if (since === aside) {
      show(text, 'end');
    } else {
      show(`${text}\n\n${since}`, 'end');
      stash.current = undefined;
      tell();
    }
    if (recorded && queued) announcement.value = strings?.queuedNow ?? '';
    else if (recorded) endWanted.value++;
    field.current.focus();
  };

  useEffect(() => {
    if (!waiting && wanted.current) void send();
  }, [waiting]);

  /** Goes back to an earlier message; the first time it asks which there are. */
  const older = async (): Promise<void> => {
    if (field.current === null) return;
    if (walk.isAway) {
      const text = walk.older();
      if (text !== undefined) show(text, 'start');
      return;
    }
    tellIfPending();
    const draft = field.current.value;
    const texts = await panel.request('history', {});
    // Written on meanwhile.
    if (field.current.value !== draft) return;
    const text = walk.begin(texts, draft);
    if (text !== undefined) show(text, 'start');
  };
  const newer = (): boolean => {
    const text = walk.newer() ?? (field.current?.value === '' ? stash.current : undefined);
    if (text === undefined) return false;
    show(text, 'end');
    if (!walk.isAway && stash.current !== undefined) {
      stash.current = undefined;
      tell();
    }
    return true;
  };

  const keyDown = (event: KeyboardEvent): void => {
    const input = field.current;
    if (input === null || known === undefined) return;
    if (sends(event, known.sendKey, composing.current)) {
      event.preventDefault();
      void send();
      return;
    }
    const modified = event.ctrlKey || event.metaKey;
    if (composing.current || event.isComposing || event.shiftKey || event.altKey) return;
    const { selectionStart: from, selectionEnd: to, value } = input;
    const atEdge = from === to && (from === 0 || (walk.isAway && from === value.length));
    if (event.key === 'ArrowUp' && !modified && atEdge) {
      event.preventDefault();
      void older();
    } else if (event.key === 'ArrowDown' && !modified && from === to && (atEdge || from === value.length)) {
      if (newer()) event.preventDefault();
    } else if (event.key === 'Escape') {
      if (walk.isAway) {
        show(walk.draft, 'end');
        walk.end();
      }
      refusal.value = undefined;
      setPasted(undefined);
    } else if (modified && event.key.toLowerCase() === 'a') {
      event.preventDefault();
      event.stopPropagation();
      input.select();
    }
  };

  const input = (text: string): void => {
    refusal.value = undefined;
    wanted.current = false;
    if (walk.isAway) {
      stash.current = walk.draft === '' ? undefined : walk.draft;
      walk.end();
    }
    if (pasted !== undefined && !text.includes(pasted)) setPasted(undefined);
    changed();
    if (recording.current) return;
    if (text.length <= AT_ONCE) tell();
    else pending.current ??= setTimeout(tell, GATHER);
  };

  const paste = (event: ClipboardEvent): void => {
    const data = event.clipboardData;
    if (data === null || known === undefined || field.current === null) return;
    const files = filesOf(data);
    const text = data.getData('text/plain').replace(/\r\n?/g, '\n');
    const choice = text.length < LONG_PASTE ? 'inline' : known.largePaste;
    const noRoom = field.current.value.length + text.length > MAX_TEXT;
    if (files.length > 0) {
      event.preventDefault();
      void ask(attachFiles(files));
    } else if (noRoom || choice === 'file') {
      event.preventDefault();
      void ask(attachText(text));
    } else if (choice === 'ask') {
      setPasted(text);
    }
  };
  /** Takes the pasted text out of the field again, as soon as it is a file. */
  const pastedToFile = async (text: string): Promise<void> => {
    // What could not be attached stays where it is.
    if (!(await attachText(text))) return;
    const at = field.current?.value.lastIndexOf(text) ?? -1;
    setPasted(undefined);
    if (field.current === null || at < 0) return;
    field.current.setRangeText('', at, at + text.length, 'end');
    changed();
    tell();
    field.current.focus();
  };

  if (strings === undefined) return <footer class="composer" />;
  const notices = [refusal.value, obstacle].filter(notice => notice !== undefined);
  return (
    <footer class="composer">
      {known === undefined ? null : <Queue known={known} strings={strings} />}
      {[...new Set(notices)].map(notice => (
        <p class="problem" key={notice}>
          <span class="codicon codicon-warning" aria-hidden="true" />
          <span>{notice}</span>
        </p>
      ))}
      {pasted === undefined ? null : (
        <p class="notice">
          <span>{fill(strings.pasted, pasted.length.toLocaleString(language()))}</span>
          <button type="button" class="link" onClick={() => void ask(pastedToFile(pasted))}>
            {strings.pastedAsFile}
          </button>
          <button type="button" class="link" onClick={() => setPasted(undefined)}>
            {strings.keepText}
          </button>
        </p>
      )}
      <div class={`box${dragging ? ' dragging' : ''}`}>
        <Attached chips={chips} strings={strings} onRemoved={() => field.current?.focus()} />
        <textarea
          ref={field}
          class="field"
          rows={1}
          dir="auto"
          aria-label={strings.composer}
          placeholder={dragging ? strings.dropHere : strings.placeholder}
          maxLength={MAX_TEXT}
          onInput={event => input(event.currentTarget.value)}
          onBlur={() => {
            composing.current = false;
            tellIfPending();
          }}
          onCompositionStart={() => (composing.current = true)}
          onCompositionEnd={() => (composing.current = false)}
          onKeyDown={keyDown}
          onPaste={paste}
        />
        <div class="toolbar">
          <button
            type="button"
            class="icon-button"
            title={strings.attachHint}
            aria-label={strings.attach}
            onClick={() => void ask(panel.request('attach', {}))}
          >
            <span class="codicon codicon-attach" aria-hidden="true" />
          </button>
          {known === undefined || known.target === '' ? null : (
            <button
              type="button"
              class="target"
              title={strings.chooseTarget}
              onClick={() => void ask(panel.request('chooseTarget', {}))}
            >
              <span>{fill(strings.sendTo, known.target)}</span>
              <span class="codicon codicon-chevron-down" aria-hidden="true" />
            </button>
          )}
          <span class="quiet total" title={known?.total}>
            {known?.total}
          </span>
          {known?.canStop === true ? (
            <button
              type="button"
              class="icon-button"
              title={strings.stop}
              aria-label={strings.stop}
              onClick={event => {
                stop(event.currentTarget);
                field.current?.focus();
              }}
            >
              <span class="codicon codicon-debug-stop" aria-hidden="true" />
            </button>
          ) : null}
          <button
            type="button"
            class="primary"
            disabled={empty || waiting || obstacle !== undefined}
            onClick={() => void send()}
          >
            <span class={`codicon codicon-${waiting ? 'sync spin' : 'send'}`} aria-hidden="true" />
            <span>{known?.queues === true ? strings.queueIt : strings.send}</span>
            <span class="key" aria-hidden="true">
              {known?.sendKey === 'ctrl+enter' ? strings.sendKeyCtrl : strings.sendKey}
            </span>
          </button>
        </div>
      </div>
    </footer>
  );
}

/** Sent once for each press that was answered. */
function stop(button: HTMLButtonElement): void {
  button.disabled = true;
  void ask(panel.request('stop', {})).finally(() => (button.disabled = false));
}

/** Files dropped anywhere on the page are attached, and letters typed where nothing takes them go to the field. */
function listenToPage(
  field: { readonly current: HTMLTextAreaElement | null },
  setDragging: (dragging: boolean) => void,
): () => void {
  const over = (event: DragEvent): void => {
    if (!mayHoldFiles(event.dataTransfer)) return;
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
    setDragging(true);
  };
  const leave = (event: DragEvent): void => {
    if (event.relatedTarget === null) setDragging(false);
  };
  const drop = (event: DragEvent): void => {
    setDragging(false);
    const { dataTransfer: data, target } = event;
    if (data === null || !mayHoldFiles(data)) return;
    const uris = urisOf(data);
    const files = [...data.files];
    // The field takes a link as text; beside it, the browser would go where it leads.
    if (uris.length + files.length === 0 && target === field.current) return;
    event.preventDefault();
    event.stopPropagation();
    field.current?.focus();
    if (uris.length > 0) void ask(attachUris(uris));
    else if (files.length > 0) void ask(attachFiles(files));
    else if (field.current !== null) insert(field.current, data.getData('text/plain'));
  };
  const type = (event: KeyboardEvent): void => {
    const { target } = event;
    const taken = target instanceof Element && target.closest('input, textarea, select, [contenteditable]');
    if (taken || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.length === 1 && event.key !== ' ') field.current?.focus();
  };
  document.addEventListener('dragover', over);
  document.addEventListener('dragleave', leave);
  document.addEventListener('drop', drop);
  document.addEventListener('keydown', type);
  return () => {
    document.removeEventListener('dragover', over);
    document.removeEventListener('dragleave', leave);
    document.removeEventListener('drop', drop);
    document.removeEventListener('keydown', type);
  };
}
