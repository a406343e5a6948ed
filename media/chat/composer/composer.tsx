import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { MAX_TEXT } from '../../../src/chat/protocol';
import { Attached } from './attached';
import { LONG_PASTE, attachFiles, attachText, filesOf, insert, listenToPage } from './given';
import { language } from '../format';
import { HistoryWalk, sends } from './keys';
import { ask, keepUnsaved, onComposerChange, panel, sendDraft, tellDraft } from '../page';
import { Queue } from './queue';
import { announce, asked, composer, endWanted, fill, note, refusal, start } from '../state';
import { Button, Icon, IconButton, Notice } from '../controls';

/** Where a message is written: text, attachments, what is queued, and why it cannot be sent when it cannot. */
export function Composer() {
  const strings = start.value?.strings;
  const known = composer.value;
  const field = useRef<HTMLTextAreaElement>(null);
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

  const focus = (): void => field.current?.focus();
  const changed = (): void => setEmpty(field.current?.value.trim() === '');
  const tell = (): void => tellDraft(field.current?.value ?? '', stash.current);
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
  useEffect(
    () =>
      onComposerChange(({ text, stash: aside, focus: wantsFocus }) => {
        if (aside !== undefined) {
          stash.current = aside;
          if (text === undefined) tell();
        }
        if (text !== undefined && field.current?.value !== text) {
          walk.end();
          keepUnsaved(undefined);
          show(text, 'end');
        }
        if (wantsFocus) focus();
      }),
    [],
  );
  useEffect(() => listenToPage(field, setDragging), []);
  useEffect(() => {
    if (asked.value === 0 || field.current === null || strings === undefined) return;
    if (field.current.value.trim() === '') insert(field.current, strings.askingText);
    field.current.focus();
  }, [asked.value]);

  const chips = known?.chips ?? [];
  const waiting = starting || known?.sending === true;
  const refusedFiles = chips.some(chip => chip.problem !== undefined);
  const obstacle = known?.blocked ?? (refusedFiles ? strings?.fixAttachments : undefined) ?? known?.tooMuch;
  /** Why nothing would be sent now. */
  const why = obstacle ?? (empty ? strings?.writeFirst : undefined);

  const send = async (): Promise<void> => {
    const text = field.current?.value ?? '';
    wanted.current = waiting && text.trim() !== '';
    if (field.current === null || text.trim() === '' || waiting || obstacle !== undefined) {
      announce(why ?? '');
      focus();
      return;
    }
    if (walk.isAway) {
      stash.current = walk.draft === '' ? undefined : walk.draft;
      walk.end();
      tell();
    }
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
    if (recorded && queued) announce(strings?.queuedNow ?? '');
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
    if (!recording.current) tell();
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
    await attachText(text);
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
      {known === undefined ? null : <Queue known={known} strings={strings} onRemoved={focus} />}
      {[...new Set(notices)].map(notice => (
        <Notice icon="warning" key={notice}>
          {notice}
        </Notice>
      ))}
      <Notice icon="info">{note.value}</Notice>
      {pasted === undefined ? null : (
        <p class="notice">
          <span>{fill(strings.pasted, pasted.length.toLocaleString(language()))}</span>
          <Button kind="link" onClick={() => void ask(pastedToFile(pasted))}>
            {strings.pastedAsFile}
          </Button>
          <Button kind="link" onClick={() => setPasted(undefined)}>
            {strings.keepText}
          </Button>
        </p>
      )}
      <div class={`box${dragging ? ' dragging' : ''}`}>
        <Attached chips={chips} strings={strings} onRemoved={focus} />
        <textarea
          ref={field}
          class="field"
          rows={1}
          dir="auto"
          aria-label={strings.composer}
          placeholder={dragging ? strings.dropHere : strings.placeholder}
          maxLength={MAX_TEXT}
          onInput={event => input(event.currentTarget.value)}
          onBlur={() => (composing.current = false)}
          onCompositionStart={() => (composing.current = true)}
          onCompositionEnd={() => (composing.current = false)}
          onKeyDown={keyDown}
          onPaste={paste}
        />
        <div class="toolbar">
          <IconButton
            icon="attach"
            label={strings.attach}
            title={strings.attachHint}
            onClick={() => void ask(panel.request('attach', {}))}
          />
          {known === undefined || known.target === '' ? null : (
            <button
              type="button"
              class="target"
              title={strings.chooseTarget}
              onClick={() => void ask(panel.request('chooseTarget', {}))}
            >
              <span>{fill(strings.sendTo, known.target)}</span>
              <Icon name="chevron-down" />
            </button>
          )}
          <span class="quiet total" title={known?.total}>
            {known?.total}
          </span>
          {known?.canStop === true ? (
            <IconButton
              icon="debug-stop"
              label={strings.stop}
              onClick={({ currentTarget }) => {
                stop(currentTarget);
                focus();
              }}
            />
          ) : null}
          <button
            type="button"
            class="primary"
            title={why}
            aria-disabled={why !== undefined || waiting}
            onClick={() => void send()}
          >
            <Icon name={waiting ? 'sync spin' : 'send'} />
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
