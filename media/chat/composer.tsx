import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ChatStrings, Chip } from '../../src/chat/protocol';
import { ask, onComposerChange, panel } from './page';
import { chipIcons } from './rows';
import { announcement, composer, endWanted, fill, refusal, start } from './state';

/** Texts up to this length reach the panel with each keystroke: a page that is hidden tells nothing any more. */
const AT_ONCE = 10_000;
/** In longer ones, keystrokes that come together reach it together, ms. */
const GATHER = 100;
/** Where the browser cannot size the field by its content. */
const SIZES_ITSELF = CSS.supports('field-sizing', 'content');

/** Where a message is written: text, attachments, and why it cannot be sent when it cannot. */
export function Composer() {
  const strings = start.value?.strings;
  const known = composer.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const pending = useRef<number | undefined>(undefined);
  const [empty, setEmpty] = useState(true);
  const [starting, setStarting] = useState(false);

  const changed = (): void => {
    if (field.current === null) return;
    setEmpty(field.current.value.trim() === '');
    fit(field.current);
  };
  const tell = (): void => {
    clearTimeout(pending.current);
    pending.current = undefined;
    panel.notify('draft', { text: field.current?.value ?? '' });
  };
  const tellIfPending = (): void => {
    if (pending.current !== undefined) tell();
  };

  const begun = start.value;
  useLayoutEffect(() => {
    if (field.current === null || begun === undefined) return;
    field.current.value = begun.draft;
    changed();
    if (begun.focus) field.current.focus();
  }, [begun]);
  useEffect(() => {
    const stop = onComposerChange(({ text, focus }) => {
      if (field.current === null) return;
      if (text !== undefined && field.current.value !== text) {
        clearTimeout(pending.current);
        pending.current = undefined;
        field.current.value = text;
        changed();
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

  const chips = known?.chips ?? [];
  const waiting = starting || known?.sending === true;
  const obstacle =
    known?.blocked ?? (chips.some(chip => chip.problem !== undefined) ? strings?.fixAttachments : undefined);

  const send = async (): Promise<void> => {
    const text = field.current?.value ?? '';
    if (field.current === null || text.trim() === '' || waiting || obstacle !== undefined) {
      announcement.value = obstacle ?? '';
      return;
    }
    clearTimeout(pending.current);
    pending.current = undefined;
    setStarting(true);
    const recorded = await ask(panel.request('send', { text }));
    setStarting(false);
    if (recorded && field.current.value === text) {
      field.current.value = '';
      changed();
    }
    if (recorded) endWanted.value++;
    field.current.focus();
  };

  const remove = (key: string): void => {
    panel.notify('detach', { key });
    // The button that was pressed goes, and the focus must not go with it.
    field.current?.focus();
  };

  if (strings === undefined) return <footer class="composer" />;
  const notices = [refusal.value, obstacle].filter(notice => notice !== undefined);
  return (
    <footer class="composer">
      {[...new Set(notices)].map(notice => (
        <p class="problem" key={notice}>
          <span class="codicon codicon-warning" aria-hidden="true" />
          <span>{notice}</span>
        </p>
      ))}
      <div class="box">
        <Attachments chips={chips} strings={strings} onRemove={remove} />
        <textarea
          ref={field}
          class="field"
          rows={1}
          dir="auto"
          aria-label={strings.composer}
          placeholder={strings.placeholder}
          readOnly={starting}
          onInput={event => {
            refusal.value = undefined;
            changed();
            if (event.currentTarget.value.length <= AT_ONCE) tell();
            else pending.current ??= setTimeout(tell, GATHER);
          }}
          onBlur={tellIfPending}
          onKeyDown={event => {
            // While an input method composes, Enter belongs to it; some report that only by the key code.
            const composing = event.isComposing || (event as { readonly keyCode: number }).keyCode === 229;
            if (event.key !== 'Enter' || event.shiftKey || composing) return;
            event.preventDefault();
            void send();
          }}
        />
        <div class="toolbar">
          <button
            type="button"
            class="icon-button"
            title={strings.attach}
            aria-label={strings.attach}
            onClick={() => panel.notify('attach', {})}
          >
            <span class="codicon codicon-attach" aria-hidden="true" />
          </button>
          <span class="quiet total">{known?.total}</span>
          <button
            type="button"
            class="primary"
            disabled={empty || waiting || obstacle !== undefined}
            onClick={() => void send()}
          >
            <span class={`codicon codicon-${waiting ? 'sync spin' : 'send'}`} aria-hidden="true" />
            <span>{strings.send}</span>
            <span class="key" aria-hidden="true">
              {strings.sendKey}
            </span>
          </button>
        </div>
      </div>
    </footer>
  );
}

interface AttachmentsProps {
  readonly chips: readonly Chip[];
  readonly strings: ChatStrings;
  readonly onRemove: (key: string) => void;
}

function Attachments({ chips, strings, onRemove }: AttachmentsProps) {
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label={strings.attachments}>
      {chips.map(chip => (
        <li class={`chip${chip.problem === undefined ? '' : ' refused'}`} key={chip.key} title={chip.title}>
          <span class={`codicon codicon-${chipIcons[chip.kind]}`} aria-hidden="true" />
          <span class="chip-name">{chip.problem ?? chip.name}</span>
          {chip.problem === undefined ? <span class="quiet">{chip.size}</span> : null}
          <button
            type="button"
            class="icon-button"
            title={fill(strings.removeAttachment, chip.name)}
            aria-label={fill(strings.removeAttachment, chip.name)}
            onClick={() => onRemove(chip.key)}
          >
            <span class="codicon codicon-close" aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function fit(field: HTMLTextAreaElement): void {
  if (SIZES_ITSELF) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight}px`;
}
