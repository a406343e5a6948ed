import { useState } from 'preact/hooks';
import type { ChatStrings, MessageRow, Row, SendRow } from '../../../src/chat/protocol';
import { Answered } from './answered';
import { dayName, exactTime, timeOfDay } from '../format';
import { ask, copyMessage, panel } from '../page';
import { PartView } from './parts';
import { ChipIcon, Picture } from './picture';
import { fill, opened, start, toggle } from '../state';
import { Button, Icon, IconButton, Notice } from '../controls';

export function RowView({ row }: { readonly row: Row }) {
  const strings = start.value?.strings;
  if (strings === undefined) return null;
  switch (row.kind) {
    case 'date':
      return <h2 class="date">{dayName(row.at)}</h2>;
    case 'message':
      return <MessageView row={row} strings={strings} />;
    case 'break':
      return (
        <div class="missing">
          <p>
            {row.sentence}{' '}
            {row.state === 'reading' ? null : (
              <Button kind="link" onClick={() => void ask(panel.request('readEarlier', {}))}>
                {strings.readEarlier}
              </Button>
            )}
          </p>
        </div>
      );
    case 'gap':
      return row.reason !== undefined ? (
        <Answered row={row} strings={strings} />
      ) : (
        <div class="missing">
          <p>{row.sentence}</p>
        </div>
      );
    case 'send':
      return <SendView row={row} strings={strings} />;
  }
}

function authorName(row: MessageRow, strings: ChatStrings): string {
  switch (row.author) {
    case 'person':
      return strings.you;
    case 'agent':
      return strings.agent;
    case 'other':
      return row.role;
  }
}

function MessageView({ row, strings }: { readonly row: MessageRow; readonly strings: ChatStrings }) {
  const author = authorName(row, strings);
  const time = row.at === undefined ? '' : timeOfDay(row.at);
  const classes = ['message', row.author, row.continued ? 'continued' : '', row.failed ? 'failed' : ''];
  return (
    <article
      class={classes.filter(name => name !== '').join(' ')}
      aria-label={fill(strings.messageLabel, author, time)}
    >
      {row.continued ? null : (
        <div class="byline">
          <span class="author">{author}</span>
          <span class="phase">{row.phase}</span>
          <time title={row.at === undefined ? '' : exactTime(row.at)}>{time}</time>
        </div>
      )}
      {row.failed ? <Notice icon="error">{strings.failed}</Notice> : null}
      {row.parts.map((part, index) => (
        <PartView
          key={index}
          part={part}
          id={`${row.key}:${index}`}
          rowKey={row.key}
          messageId={row.id}
          breaks={row.author === 'person'}
          strings={strings}
        />
      ))}
      <IconButton
        icon="copy"
        class="copy-message"
        label={strings.copyMessage}
        onClick={({ currentTarget }) => copyMessage(row.key, currentTarget)}
      />
      <Chips row={row} label={strings.attachments} />
      {row.accepted ? (
        <p class="send-state">
          <Icon name="check" />
          {strings.accepted}
        </p>
      ) : null}
    </article>
  );
}

function SendView({ row, strings }: { readonly row: SendRow; readonly strings: ChatStrings }) {
  const [busy, setBusy] = useState(false);
  const words = { sending: strings.sending, refused: strings.refused, unknown: strings.outcomeUnknown };
  const icons = { sending: 'sync spin', refused: 'error', unknown: 'question' };
  const act = (name: 'sendAgain' | 'discard' | 'editAgain') => (): void => {
    setBusy(true);
    void ask(panel.request(name, { sendId: row.sendId })).finally(() => setBusy(false));
  };
  return (
    <article
      class={`message person send ${row.state}`}
      aria-label={fill(strings.messageLabel, strings.you, words[row.state])}
    >
      <div class="byline">
        <span class="author">{strings.you}</span>
        <time title={exactTime(row.at)}>{timeOfDay(row.at)}</time>
      </div>
      <PartView
        part={{ ...row, kind: 'text' }}
        id={row.key}
        rowKey={row.key}
        messageId=""
        breaks={true}
        strings={strings}
      />
      <Chips row={row} label={strings.attachments} />
      <p class="send-state">
        <Icon name={icons[row.state]} />
        <span>
          {row.state === 'refused' && row.sentence !== ''
            ? fill(strings.notSent, row.sentence)
            : row.sentence || words[row.state]}
        </span>
      </p>
      {row.state === 'sending' ? null : (
        <div class="actions">
          {row.state === 'unknown' ? (
            <Button kind="secondary" disabled={busy} onClick={act('sendAgain')}>
              {strings.sendAgain}
            </Button>
          ) : row.inComposer ? null : (
            <Button kind="secondary" disabled={busy} onClick={act('editAgain')}>
              {strings.editAgain}
            </Button>
          )}
          <Button kind="secondary" disabled={busy} onClick={act('discard')}>
            {strings.discard}
          </Button>
        </div>
      )}
    </article>
  );
}

/** Attachments as the composer shows them; a click on a picture's name shows all of it. */
function Chips({ row, label }: { readonly row: MessageRow | SendRow; readonly label: string }) {
  if (row.chips.length === 0) return null;
  const messageId = row.kind === 'message' ? row.id : undefined;
  const idOf = (index: number): string => `${row.key}:chip${index}`;
  return (
    <>
      <ul class="chips" aria-label={label}>
        {row.chips.map((chip, at) => (
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
      {row.chips.map(({ index, name }, at) =>
        index !== undefined && messageId !== undefined && opened.value.has(idOf(at)) ? (
          <figure class="picture" key={at}>
            <Picture messageId={messageId} index={index} label={name} />
          </figure>
        ) : null,
      )}
    </>
  );
}
