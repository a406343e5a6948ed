import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import type { GapRow, MessageRow, Row } from '../../../src/chat/protocol';
import { Button, Icon, IconButton, Notice } from '../controls';
import { ask, copied, panel } from '../page';
import { announce, asked, language, opened, start, toggle, words } from '../state';
import { PartView } from './parts';
import { ChipIcon, Picture } from './picture';

export function RowView({ row }: { readonly row: Row }) {
  switch (row.kind) {
    case 'date':
      return <h2 class="date">{dayName(row.at)}</h2>;
    case 'message':
      return <MessageView row={row} />;
    case 'gap':
      return row.reason === undefined ? <Missing row={row} /> : <Answered row={row} />;
  }
}

/** A day as a heading; the year only where it is another one. */
function dayName(at: number): string {
  const sameYear = new Date(at).getFullYear() === new Date().getFullYear();
  return new Intl.DateTimeFormat(language, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(sameYear ? {} : { year: 'numeric' }),
  }).format(at);
}

function Missing({ row }: { readonly row: GapRow }) {
  return (
    <div class="missing">
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
            onClick={() => asked.value++}
          >
            {l10n.t('Ask for them')}
          </Button>
          {webApp === true && (
            <Button kind="secondary" onClick={() => panel.notify('openWebApp', {})}>
              {l10n.t('Open in web application')}
            </Button>
          )}
          <Button kind="link" onClick={() => panel.notify('explainGap', {})}>
            {l10n.t('Why?')}
          </Button>
        </div>
      </div>
    </article>
  );
}

function MessageView({ row }: { readonly row: MessageRow }) {
  const { key, at, author, continued, failed, id, role, send } = row;
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
          <span class="phase">{row.phase}</span>
          <time title={at === undefined ? '' : words.exact(at)}>{time}</time>
        </div>
      )}
      {failed && <Notice icon="error">{l10n.t('The agent reported an error')}</Notice>}
      {row.parts.map((part, index) => (
        <PartView
          key={index}
          part={part}
          index={index}
          rowKey={key}
          messageId={id}
          breaks={author === 'person'}
        />
      ))}
      <IconButton
        icon="copy"
        class="copy-message"
        label={l10n.t('Copy message')}
        onClick={({ currentTarget }) => {
          // The whole of it, which only the panel knows.
          panel.notify('copyMessage', { key });
          copied(currentTarget);
        }}
      />
      <Chips row={row} />
      {row.accepted && (
        <p class="send-state">
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
      <p class="send-state">
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
function Chips({ row: { id: messageId, key, chips } }: { readonly row: MessageRow }) {
  if (chips.length === 0) return null;
  const idOf = (index: number): string => `${key}:chip${index}`;
  return (
    <>
      <ul class="chips" aria-label={l10n.t('Attachments')}>
        {chips.map((chip, at) => (
          <li class="chip" key={at} title={chip.title}>
            <ChipIcon chip={chip} messageId={messageId} />
            {chip.index === undefined ? (
              <span class="chip-name">{chip.name}</span>
            ) : (
              <button
                type="button"
                class="chip-name"
                aria-expanded={opened.value.has(idOf(at))}
                onClick={() => toggle(idOf(at), !opened.value.has(idOf(at)))}
              >
                {chip.name}
              </button>
            )}
            <span class="quiet">{chip.size}</span>
          </li>
        ))}
      </ul>
      {chips.map(({ index, name }, at) =>
        index !== undefined && opened.value.has(idOf(at)) ? (
          <figure class="picture" key={at}>
            <Picture source={{ messageId, index }} label={name} />
          </figure>
        ) : null,
      )}
    </>
  );
}
