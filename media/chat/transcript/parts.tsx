import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Fold, Part } from '../../../src/chat/protocol';
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
    case 'fold':
      return part.texts.length === 0 ? (
        <Line icon={part.icon}>{part.label.join('')}</Line>
      ) : (
        <FoldView fold={part} id={`${rowKey}:${index}`}>
          {part.texts.map((text, at) =>
            part.isCode ? (
              <Preformatted key={at} text={text} />
            ) : (
              <Markdown key={at} text={text} breaks={false} />
            ),
          )}
          {cut}
        </FoldView>
      );
    case 'file':
      return part.index === undefined ? (
        <Line icon="file">{part.label}</Line>
      ) : (
        <figure class="picture">
          <Picture source={{ messageId, index: part.index }} label={part.label} />
          <figcaption class="quiet small">{part.label}</figcaption>
        </figure>
      );
  }
}

function Line({ icon, children }: { readonly icon: string; readonly children: ComponentChildren }) {
  return (
    <p class="line bar quiet">
      <Icon name={icon} />
      {children}
    </p>
  );
}

interface FoldProps {
  readonly id: string;
  readonly fold: Fold;
  readonly children: ComponentChildren;
}

function FoldView({ id, fold, children }: FoldProps) {
  const open = opened.value.has(id);
  return (
    <details
      class={`fold${fold.failed ? ' failed' : ''}`}
      open={open}
      onToggle={event => toggle(id, event.currentTarget.open)}
    >
      <summary class="bar quiet">
        <Icon name="chevron-right" />
        <Icon name={fold.icon} />
        <span class="fold-label one-line">
          {fold.label.map((words, at) =>
            at % 2 === 1 && words !== '' ? (
              <code class="small" key={at}>
                {words}
              </code>
            ) : (
              words
            ),
          )}
        </span>
        {!open && <span class="fold-preview one-line">{fold.preview}</span>}
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
  return (
    <pre class="preformatted small" tabIndex={0} role="group" aria-label={l10n.t('Code')} ref={element} />
  );
}

let renderMarkdown: ((text: string, breaks: boolean) => DocumentFragment) | undefined;

/** Makes ready what rendering takes, which is most of this page's code: the panel is told that the page listens before that. */
export async function prepareMarkdown(): Promise<void> {
  ({ renderMarkdown } = await import('../markdown/markdown'));
}

function Markdown({ text, breaks }: { readonly text: string; readonly breaks: boolean }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const rendered = renderMarkdown?.(text, breaks);
    if (rendered !== undefined) element.current?.replaceChildren(rendered);
  }, [text, breaks]);
  return <div class="markdown" dir="auto" ref={element} />;
}
