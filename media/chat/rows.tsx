import { useState } from 'preact/hooks';
import type { Chip, ChatStrings, MessageRow, Row, SendRow } from '../../src/chat/protocol';
import { Answered } from './answered';
import { dayName, exactTime, timeOfDay } from './format';
import { ask, copyMessage, panel } from './page';
import { PartView } from './parts';
import { fill, start } from './state';

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
              <button type="button" class="link" onClick={() => void ask(panel.request('readEarlier', {}))}>
                {strings.readEarlier}
              </button>
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
      {row.failed ? (
        <p class="problem">
          <span class="codicon codicon-error" aria-hidden="true" />
          {strings.failed}
        </p>
      ) : null}
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
      <button
        type="button"
        class="icon-button copy-message"
        title={strings.copyMessage}
        aria-label={strings.copyMessage}
        onClick={event => copyMessage(row.key, event.currentTarget)}
      >
        <span class="codicon codicon-copy" aria-hidden="true" />
      </button>
      <Chips chips={row.chips} label={strings.attachments} />
      {row.accepted ? (
        <p class="send-state">
          <span class="codicon codicon-check" aria-hidden="true" />
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
      <Chips chips={row.chips} label={strings.attachments} />
      <p class="send-state">
        <span class={`codicon codicon-${icons[row.state]}`} aria-hidden="true" />
        <span>
          {row.state === 'refused' && row.sentence !== ''
            ? fill(strings.notSent, row.sentence)
            : row.sentence || words[row.state]}
        </span>
      </p>
      {row.state === 'sending' ? null : (
        <div class="actions">
          {row.state === 'unknown' ? (
            <button type="button" class="secondary" disabled={busy} onClick={act('sendAgain')}>
              {strings.sendAgain}
            </button>
          ) : row.inComposer ? null : (
            <button type="button" class="secondary" disabled={busy} onClick={act('editAgain')}>
              {strings.editAgain}
            </button>
          )}
          <button type="button" class="secondary" disabled={busy} onClick={act('discard')}>
            {strings.discard}
          </button>
        </div>
      )}
    </article>
  );
}

export const chipIcons: Readonly<Record<Chip['kind'], string>> = {
  image: 'file-media',
  pdf: 'file-pdf',
  text: 'file',
  unknown: 'warning',
  checking: 'sync spin',
};

function Chips({ chips, label }: { readonly chips: readonly Chip[]; readonly label: string }) {
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label={label}>
      {chips.map((chip, index) => (
        <li class="chip" key={index} title={chip.title}>
          <span class={`codicon codicon-${chipIcons[chip.kind]}`} aria-hidden="true" />
          <span class="chip-name">{chip.name}</span>
          <span class="quiet">{chip.size}</span>
        </li>
      ))}
    </ul>
  );
}
