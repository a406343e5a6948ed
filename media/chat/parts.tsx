import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ChatStrings, Part } from '../../src/chat/protocol';
import { dressPaths } from './paths';
import { panel } from './page';
import { Picture } from './picture';
import { rendered } from './renderer';
import { fill, opened, toggle } from './state';

interface PartProps {
  readonly part: Part;
  /** Names the part for as long as the page lives. */
  readonly id: string;
  readonly messageId: string;
  /** Of the message it is in. */
  readonly rowKey: string;
  /** Line feeds are line breaks. */
  readonly breaks: boolean;
  readonly strings: ChatStrings;
}

/** One block of a message: text as Markdown, everything else behind a line that opens it. */
export function PartView({ part, id, messageId, rowKey, breaks, strings }: PartProps) {
  const cut = 'cut' in part && (
    <p class="cut quiet">
      {part.cut}{' '}
      <button type="button" class="link" onClick={() => panel.notify('openMessage', { key: rowKey })}>
        {strings.openMessage}
      </button>
    </p>
  );
  switch (part.kind) {
    case 'text':
      return (
        <>
          <Markdown text={part.text} breaks={breaks} strings={strings} />
          {cut}
        </>
      );
    case 'commentary':
      return (
        <Fold id={id} icon="comment" label={strings.agentCommentary} preview={part.text}>
          <Markdown text={part.text} breaks={false} strings={strings} />
          {cut}
        </Fold>
      );
    case 'reasoning':
      return (
        <Fold id={id} icon="lightbulb" label={strings.reasoning} preview={part.text}>
          <Markdown text={part.text} breaks={false} strings={strings} />
          {cut}
        </Fold>
      );
    case 'system':
      return (
        <Fold id={id} icon="info" label={strings.systemMessage} preview={part.text}>
          <Markdown text={part.text} breaks={false} strings={strings} />
          {cut}
        </Fold>
      );
    case 'withheld':
      return (
        <p class="line quiet">
          <span class="codicon codicon-lightbulb" aria-hidden="true" />
          {strings.withheld}
        </p>
      );
    case 'toolUse': {
      const name = part.name === '' ? strings.unknownTool : part.name;
      return (
        <Fold id={id} icon="tools" label={fill(strings.toolUse, name)} preview={part.input}>
          <Preformatted text={part.input} strings={strings} />
          {cut}
        </Fold>
      );
    }
    case 'toolResult': {
      const name = part.name === '' ? strings.unknownTool : part.name;
      const label = fill(part.failed ? strings.toolResultFailed : strings.toolResult, name);
      return (
        <Fold
          id={id}
          icon={part.failed ? 'error' : 'output'}
          label={label}
          preview={part.text}
          failed={part.failed}
        >
          <Preformatted text={part.text} strings={strings} />
          {cut}
        </Fold>
      );
    }
    case 'image':
      return (
        <figure class="picture">
          {part.index === undefined ? null : (
            <Picture messageId={messageId} index={part.index} label={part.label} />
          )}
          <figcaption class="quiet">{part.label}</figcaption>
        </figure>
      );
    case 'document':
      return (
        <p class="line">
          <span class="codicon codicon-file" aria-hidden="true" />
          {part.label}
        </p>
      );
    case 'other': {
      const label = part.type === '' ? strings.contentWithoutType : fill(strings.unknownContent, part.type);
      return (
        <Fold id={id} icon="symbol-misc" label={label} preview="">
          <Preformatted text={part.text} strings={strings} />
          {cut}
        </Fold>
      );
    }
  }
}

interface FoldProps {
  readonly id: string;
  readonly icon: string;
  readonly label: string;
  /** Its beginning is shown while folded. */
  readonly preview: string;
  readonly failed?: boolean;
  readonly children: ComponentChildren;
}

function Fold({ id, icon, label, preview, failed, children }: FoldProps) {
  const open = opened.value.has(id);
  const beginning = preview.slice(0, 200).replace(/\s+/g, ' ').trim();
  return (
    <details
      class={`fold${failed === true ? ' failed' : ''}`}
      open={open}
      onToggle={event => toggle(id, event.currentTarget.open)}
    >
      <summary>
        <span class="codicon codicon-chevron-right" aria-hidden="true" />
        <span class={`codicon codicon-${icon}`} aria-hidden="true" />
        <span class="fold-label">{label}</span>
        {open ? null : <span class="fold-preview">{beginning}</span>}
      </summary>
      {open ? <div class="fold-body">{children}</div> : null}
    </details>
  );
}

function Preformatted({ text, strings }: { readonly text: string; readonly strings: ChatStrings }) {
  const element = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    element.current?.replaceChildren(text);
    if (element.current !== null) dressPaths(element.current, strings.openPath);
  }, [text]);
  return <pre class="preformatted" tabIndex={0} role="group" aria-label={strings.code} ref={element} />;
}

interface MarkdownProps {
  readonly text: string;
  readonly breaks: boolean;
  readonly strings: ChatStrings;
}

/** Rendered texts that may scroll into view again, the oldest first. */
const shown = new Map<string, DocumentFragment>();
const MOST_RENDERED = 200;

function Markdown({ text, breaks, strings }: MarkdownProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    element.current?.replaceChildren(remembered(text, breaks, strings).cloneNode(true));
  }, [text, breaks]);
  return <div class="markdown" dir="auto" ref={element} />;
}

function remembered(text: string, breaks: boolean, strings: ChatStrings): DocumentFragment {
  const key = `${breaks ? 'b' : 'n'}${text}`;
  const known = shown.get(key) ?? rendered(text, { strings, breaks });
  shown.delete(key);
  shown.set(key, known);
  if (shown.size > MOST_RENDERED) for (const oldest of [...shown.keys()].slice(0, 1)) shown.delete(oldest);
  return known;
}
