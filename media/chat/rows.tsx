import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Fold, GapRow, MessageRow, Part, Row } from '../../src/chat/protocol';
import type * as markdown from './markdown';
import { Button, ChipIcon, Icon, IconButton, Notice, Picture } from './controls';
import { announce, ask, copied, opened, panel, start, tellComposer, toggle, words } from './page';

/** `continued`: with what the row above says. */
export function RowView({ row, continued }: { readonly row: Row; readonly continued: boolean }) {
  switch (row.kind) {
    case 'date':
      return <h2 class="date bar quiet small">{dayName(row.at)}</h2>;
    case 'message':
      return <MessageView row={row} continued={continued} />;
    case 'gap':
      return row.reason === undefined ? <Missing row={row} /> : <Answered row={row} />;
  }
}

/** A day as a heading; the year only where it is another one. */
function dayName(at: number): string {
  const sameYear = new Date(at).getFullYear() === new Date().getFullYear();
  const year = sameYear ? undefined : 'numeric';
  return words.date({ weekday: 'long', day: 'numeric', month: 'long', year }, at);
}

function Missing({ row }: { readonly row: GapRow }) {
  return (
    <div class="missing bar quiet small">
      <p>
        {row.sentence}{' '}
        {row.canRead === true && (
          <Button kind="link" onClick={() => void ask(panel.request('readEarlier', {}))}>
            {l10n.t('Read earlier messages')}
          </Button>
        )}
      </p>
    </div>
  );
}

/** Said once, however often the row is drawn anew. */
let said = '';

/** An answer that the service does not show yet, and what can be done about it. */
function Answered({ row: { sentence, reason = '', webApp } }: { readonly row: GapRow }) {
  useEffect(() => {
    const now = `${start.value?.identity.sessionId ?? ''} ${sentence}`;
    if (said !== now) announce(`${sentence} ${reason}`);
    said = now;
  }, [sentence]);
  return (
    <article class="message agent answered" aria-label={sentence}>
      <Icon name="comment-unresolved" />
      <div>
        <p class="answered-title">{sentence}</p>
        <p class="quiet">{reason}</p>
        <div class="actions">
          <Button
            kind="primary"
            title={l10n.t('Write a short message that you can send')}
            onClick={() => tellComposer({ focus: true, ask: true })}
          >
            {l10n.t('Ask for them')}
          </Button>
          {webApp === true && (
            <Button kind="secondary" onClick={() => void ask(panel.request('openWebApp', {}))}>
              {l10n.t('Open in web application')}
            </Button>
          )}
        </div>
      </div>
    </article>
  );
}

function MessageView({ row, continued }: { readonly row: MessageRow; readonly continued: boolean }) {
  const { key, at, author, failed, id, role, send } = row;
  const name = { person: l10n.t('You'), agent: l10n.t('Agent'), other: role }[author];
  const time = at === undefined ? '' : words.timeOfDay(at);
  const classes = [
    'message',
    author,
    continued && 'continued',
    failed && 'failed',
    send && `send ${send.state}`,
  ];
  return (
    <article
      class={classes.filter(Boolean).join(' ')}
      aria-label={l10n.t('{0}, {1}', name, send === undefined ? time : stateOf(send)[1])}
    >
      {!continued && (
        <div class="byline">
          <span class="author">{name}</span>
          <span class="phase quiet small">{row.phase}</span>
          <time class="quiet small" title={at === undefined ? '' : words.exact(at)}>
            {time}
          </time>
        </div>
      )}
      {failed && <Notice icon="error">{l10n.t('The agent reported an error')}</Notice>}
      {row.parts.map((part, index) => (
        <PartView key={index} part={part} index={index} rowKey={key} breaks={author === 'person'} />
      ))}
      <IconButton
        icon="copy"
        class="copy-message"
        label={l10n.t('Copy message')}
        // The whole of it, which only the panel knows.
        onClick={({ currentTarget }) => void copied(currentTarget, panel.request('copyMessage', { key }))}
      />
      <Chips row={row} />
      {row.accepted && (
        <p class="send-state quiet small">
          <Icon name="check" />
          {l10n.t('accepted')}
        </p>
      )}
      {send && <SendState id={id} send={send} />}
    </article>
  );
}

type Send = NonNullable<MessageRow['send']>;

const stateOf = ({ state }: Send): readonly [icon: string, label: string] =>
  ({
    sending: ['sync spin', l10n.t('sending')] as const,
    unknown: ['question', l10n.t('outcome unknown')] as const,
  })[state];

/** How a message stands that is not known to have arrived, and what can be done about it. */
function SendState({ id, send }: { readonly id: string; readonly send: Send }) {
  const { state, sentence } = send;
  const [busy, setBusy] = useState(false);
  const [icon, label] = stateOf(send);
  const act = (name: 'sendAgain' | 'discard', text: string) => (
    <Button
      kind="secondary"
      disabled={busy}
      onClick={() => {
        setBusy(true);
        void ask(panel.request(name, { id })).finally(() => setBusy(false));
      }}
    >
      {text}
    </Button>
  );
  return (
    <>
      <p class={`send-state small${state === 'unknown' ? '' : ' quiet'}`}>
        <Icon name={icon} />
        <span>{sentence || label}</span>
      </p>
      {state === 'unknown' && (
        <div class="actions">
          {act('sendAgain', l10n.t('Send again'))}
          {act('discard', l10n.t('Discard'))}
        </div>
      )}
    </>
  );
}

/** Attachments as the composer shows them; a click on a picture's name shows all of it. */
function Chips({ row: { key, chips } }: { readonly row: MessageRow }) {
  if (chips.length === 0) return null;
  const idOf = (index: number): string => `${key}:chip${index}`;
  return (
    <>
      <ul class="chips" aria-label={l10n.t('Attachments')}>
        {chips.map((chip, at) => (
          <li class="chip bar" key={at} title={chip.title}>
            <ChipIcon chip={chip} />
            {chip.picture === undefined ? (
              <span class="chip-name one-line">{chip.name}</span>
            ) : (
              <button
                type="button"
                class="chip-name one-line"
                aria-expanded={opened.value.has(idOf(at))}
                onClick={() => toggle(idOf(at), !opened.value.has(idOf(at)))}
              >
                {chip.name}
              </button>
            )}
            <span class="quiet small">{chip.size}</span>
          </li>
        ))}
      </ul>
      {chips.map(({ picture, name }, at) =>
        picture !== undefined && opened.value.has(idOf(at)) ? (
          <figure class="picture" key={at}>
            <Picture key={picture} source={picture} label={name} />
          </figure>
        ) : null,
      )}
    </>
  );
}

interface PartProps {
  readonly part: Part;
  readonly rowKey: string;
  readonly index: number;
  readonly breaks: boolean;
}

/** One block of a message: text as Markdown, everything else behind a line that opens it. */
function PartView({ part, rowKey, index, breaks }: PartProps) {
  const cut = 'cut' in part && (
    <p class="cut quiet">
      {part.cut}{' '}
      <Button kind="link" onClick={() => void ask(panel.request('openMessage', { key: rowKey }))}>
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
      return part.picture === undefined ? (
        <Line icon="file">{part.label}</Line>
      ) : (
        <figure class="picture">
          <Picture key={part.picture} source={part.picture} label={part.label} />
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
      <summary class="flat bar quiet">
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
    if (element.current !== null) rendering?.dressPaths(element.current);
  }, [text]);
  return (
    <pre class="preformatted small" tabIndex={0} role="group" aria-label={l10n.t('Code')} ref={element} />
  );
}

let rendering: typeof markdown | undefined;

/** Makes ready what rendering takes, which is most of this page's code: the panel is told that the page listens before that. */
export async function prepareMarkdown(): Promise<void> {
  rendering = await import('./markdown');
}

function Markdown({ text, breaks }: { readonly text: string; readonly breaks: boolean }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const rendered = rendering?.renderMarkdown(text, breaks);
    if (rendered !== undefined) element.current?.replaceChildren(rendered);
  }, [text, breaks]);
  return <div class="markdown" dir="auto" ref={element} />;
}
