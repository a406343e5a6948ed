import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ChatStrings, Part, ToolPart } from '../../../src/chat/protocol';
import { dressPaths } from '../markdown/paths';
import { rendered } from '../markdown/renderer';
import { panel } from '../page';
import { fill, opened, toggle } from '../state';
import { Picture } from './picture';
import { Button, Icon } from '../controls';

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
      <Button kind="link" onClick={() => panel.notify('openMessage', { key: rowKey })}>
        {strings.openMessage}
      </Button>
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
    case 'reasoning':
    case 'system': {
      const [icon, label] = {
        commentary: ['comment', strings.agentCommentary],
        reasoning: ['lightbulb', strings.reasoning],
        system: ['info', strings.systemMessage],
      }[part.kind] as [string, string];
      return (
        <Fold id={id} icon={icon} label={label} preview={part.text}>
          <Markdown text={part.text} breaks={false} strings={strings} />
          {cut}
        </Fold>
      );
    }
    case 'withheld':
      return <Line icon="lightbulb">{strings.withheld}</Line>;
    case 'tool':
      return (
        <Fold
          id={id}
          icon={part.icon}
          label={<Did part={part} />}
          preview={part.preview}
          failed={part.failed}
        >
          <p class="quiet">{part.name}</p>
          {[part.input, part.text]
            .filter(text => text !== '')
            .map((text, index) => (
              <Preformatted key={index} text={text} strings={strings} />
            ))}
          {cut}
        </Fold>
      );
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
      return <Line icon="file">{part.label}</Line>;
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

/** What a tool was used for, in words. */
function Did({ part }: { readonly part: ToolPart }) {
  const [before, subject, after] = part.words;
  return (
    <>
      {before}
      {subject === '' ? null : <code>{subject}</code>}
      {after}
    </>
  );
}

function Line({ icon, children }: { readonly icon: string; readonly children: ComponentChildren }) {
  return (
    <p class="line quiet">
      <Icon name={icon} />
      {children}
    </p>
  );
}

interface FoldProps {
  readonly id: string;
  readonly icon: string;
  readonly label: ComponentChildren;
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
        <Icon name="chevron-right" />
        <Icon name={icon} />
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
    const key = `${breaks ? 'b' : 'n'}${text}`;
    const known = shown.get(key) ?? rendered(text, { strings, breaks });
    shown.delete(key);
    shown.set(key, known);
    const [oldest] = shown.keys();
    if (shown.size > MOST_RENDERED && oldest !== undefined) shown.delete(oldest);
    element.current?.replaceChildren(known.cloneNode(true));
  }, [text, breaks]);
  return <div class="markdown" dir="auto" ref={element} />;
}
