import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ChatStrings } from '../../src/chat/protocol';
import { span } from './format';
import { ask, panel } from './page';
import { fill, header, removed, start } from './state';

/** Moves on while the page is seen, so that ages stay true. */
const clock = signal(performance.now());

function useClock(age: number): void {
  const step = age < 60_000 ? 1000 : 30_000;
  useEffect(() => {
    const timer = setInterval(() => (clock.value = performance.now()), step);
    return () => clearInterval(timer);
  }, [step]);
}

export function Header() {
  const strings = start.value?.strings;
  const known = header.value;
  if (strings === undefined || known === undefined) return <header class="header" />;
  const { title, facts, status, tokens, messages, problem, refreshing, about } = known;
  return (
    <header class="header" data-vscode-context={about}>
      <div class="header-line">
        <h1 title={title}>{title}</h1>
        <span class="status">
          <span class={`codicon codicon-${status.icon}${status.spin ? ' spin' : ''}`} aria-hidden="true" />
          <span>{status.word}</span>
          <Age strings={strings} />
        </span>
      </div>
      <ul class="facts">
        {facts.map(({ label, value }) => (
          <li key={label} title={`${label}: ${value}`}>
            {value}
          </li>
        ))}
        {tokens === undefined ? null : (
          <li>
            <button type="button" class="tokens" aria-describedby="tokens">
              {tokens.short}
            </button>
          </li>
        )}
        {messages === undefined ? null : <li>{messages}</li>}
      </ul>
      {tokens === undefined ? null : (
        <div class="tooltip" role="tooltip" id="tokens">
          {tokens.detail}
        </div>
      )}
      <Notice icon="warning">{problem}</Notice>
      {removed.value ? (
        <Notice icon="info">
          {strings.removed}{' '}
          <button type="button" class="link" onClick={() => void ask(panel.request('addAgain', {}))}>
            {strings.addAgain}
          </button>
        </Notice>
      ) : null}
      <div class="header-actions">
        <button
          type="button"
          class="icon-button"
          title={strings.more}
          aria-label={strings.more}
          onClick={() => panel.notify('more', {})}
        >
          <span class="codicon codicon-ellipsis" aria-hidden="true" />
        </button>
        <button
          type="button"
          class="icon-button"
          title={strings.refresh}
          aria-label={strings.refresh}
          onClick={() => void ask(panel.request('refresh', {}))}
        >
          <span class={`codicon codicon-refresh${refreshing ? ' spin' : ''}`} aria-hidden="true" />
        </button>
      </div>
    </header>
  );
}

function Notice({ icon, children }: { readonly icon: string; readonly children?: ComponentChildren }) {
  return children === undefined ? null : (
    <p class="problem">
      <span class={`codicon codicon-${icon}`} aria-hidden="true" />
      <span>{children}</span>
    </p>
  );
}

function Age({ strings }: { readonly strings: ChatStrings }) {
  const known = header.value;
  const since = known?.statusAge;
  const age = since === undefined ? 0 : since + Math.max(0, clock.value - (known?.receivedAt ?? 0));
  useClock(age);
  if (since === undefined) return <span class="quiet">{strings.notChecked}</span>;
  if (known?.problem !== undefined) return <span class="quiet">{fill(strings.lastChecked, span(age))}</span>;
  return <span class="quiet">{age < 2000 ? strings.checkedNow : fill(strings.checked, span(age))}</span>;
}
