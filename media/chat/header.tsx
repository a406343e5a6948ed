import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ChatStrings } from '../../src/chat/protocol';
import { span } from './format';
import { ask, panel } from './page';
import { fill, header, start } from './state';

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
  const { title, facts, status, tokens, messages, problem, refreshing } = known;
  return (
    <header class="header">
      <div class="header-line">
        <h1 title={title}>{title}</h1>
        <span class="status">
          <span class={`codicon codicon-${status.icon}${status.spin ? ' spin' : ''}`} aria-hidden="true" />
          <span>{status.word}</span>
          <Age strings={strings} />
        </span>
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
      <ul class="facts">
        {facts.map(({ label, value }) => (
          <li key={label} title={`${label}: ${value}`}>
            {value}
          </li>
        ))}
        {tokens === undefined ? null : <li title={tokens.detail}>{tokens.short}</li>}
        {messages === undefined ? null : <li>{messages}</li>}
      </ul>
      {problem === undefined ? null : (
        <p class="problem">
          <span class="codicon codicon-warning" aria-hidden="true" />
          {problem}
        </p>
      )}
    </header>
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
