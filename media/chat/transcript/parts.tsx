import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Part } from '../../../src/chat/protocol';
import { Button, Icon } from '../controls';
import { dressPaths } from '../markdown/paths';
import { panel } from '../page';
import { opened, toggle } from '../state';
import { Picture } from './picture';

interface PartProps {
  readonly part: Part;
  /** Of the row it is in, and its place there. */
  readonly rowKey: string;
  readonly index: number;
  readonly messageId: string;
  /** Line feeds are line breaks. */
  readonly breaks: boolean;
}

/** One block of a message: text as Markdown, everything else behind a line that opens it. */
export function PartView({ part, rowKey, index, messageId, breaks }: PartProps) {
  const id = `${rowKey}:${index}`;
  const cut = 'cut' in part && (
    <p class="cut quiet">
      {part.cut}{' '}
      <Button kind="link" onClick={() => panel.notify('openMessage', { key: rowKey })}>
        {l10n.t('Open the whole message as a text document')}
      </Button>
    </p>
  );
  switch (part.kind) {
    case 'text':
      return (
        <>
          <Markdown text={part.text} breaks={breaks} />
          {cut}
        </>
      );
    case 'commentary':
    case 'reasoning':
    case 'system': {
      const [icon, label] = {
        commentary: ['comment', l10n.t('Commentary')] as const,
        reasoning: ['lightbulb', l10n.t('Reasoning')] as const,
        system: ['info', l10n.t('System message')] as const,
      }[part.kind];
      return (
        <Fold
          id={id}
          icon={icon}
          label={label}
          preview={part.text.slice(0, 200).replace(/`|\*\*|^#+ /gm, '')}
        >
          <Markdown text={part.text} breaks={false} />
          {cut}
        </Fold>
      );
    }
    case 'withheld':
      return <Line icon="lightbulb">{l10n.t('Reasoning withheld by the model provider')}</Line>;
    case 'tool': {
      const [before, subject, after] = part.words;
      const label = (
        <>
          {before}
          {subject !== '' && <code>{subject}</code>}
          {after}
        </>
      );
      return (
        <Fold id={id} icon={part.icon} label={label} preview={part.preview} failed={part.failed}>
          <p class="quiet">{part.name}</p>
          {part.input !== '' && <Preformatted text={part.input} />}
          {part.text !== '' && <Preformatted text={part.text} />}
          {cut}
        </Fold>
      );
    }
    case 'image':
      return (
        <figure class="picture">
          {part.index !== undefined && (
            <Picture source={{ messageId, index: part.index }} label={part.label} />
          )}
          <figcaption class="quiet">{part.label}</figcaption>
        </figure>
      );
    case 'document':
      return <Line icon="file">{part.label}</Line>;
    case 'other': {
      const label =
        part.type === '' ? l10n.t('Content without a type') : l10n.t('Content of the type "{0}"', part.type);
      return (
        <Fold id={id} icon="symbol-misc" label={label} preview="">
          <Preformatted text={part.text} />
          {cut}
        </Fold>
      );
    }
  }
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

function Fold({ id, icon, label, preview, failed = false, children }: FoldProps) {
  const open = opened.value.has(id);
  return (
    <details
      class={`fold${failed ? ' failed' : ''}`}
      open={open}
      onToggle={event => toggle(id, event.currentTarget.open)}
    >
      <summary>
        <Icon name="chevron-right" />
        <Icon name={icon} />
        <span class="fold-label">{label}</span>
        {!open && <span class="fold-preview">{preview}</span>}
      </summary>
      {open && <div class="fold-body">{children}</div>}
    </details>
  );
}

function Preformatted({ text }: { readonly text: string }) {
  const element = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    element.current?.replaceChildren(text);
    if (element.current !== null) dressPaths(element.current);
  }, [text]);
  return <pre class="preformatted" tabIndex={0} role="group" aria-label={l10n.t('Code')} ref={element} />;
}

let renderMarkdown: ((text: string, breaks: boolean) => DocumentFragment) | undefined;

/** Makes ready what rendering takes, which is most of this page's code: the panel is told that the page listens before that. */
export async function prepareMarkdown(): Promise<void> {
  ({ renderMarkdown } = await import('../markdown/markdown'));
}

/** Rendered texts that may scroll into view again, the oldest first. */
const rendered = new Map<string, DocumentFragment>();
const MOST_RENDERED = 200;

function Markdown({ text, breaks }: { readonly text: string; readonly breaks: boolean }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const key = `${breaks ? 'b' : 'n'}${text}`;
    const known = rendered.get(key) ?? renderMarkdown?.(text, breaks);
    if (known === undefined) return;
    rendered.delete(key);
    rendered.set(key, known);
    const [oldest] = rendered.keys();
    if (rendered.size > MOST_RENDERED && oldest !== undefined) rendered.delete(oldest);
    element.current?.replaceChildren(known.cloneNode(true));
  }, [text, breaks]);
  return <div class="markdown" dir="auto" ref={element} />;
}
