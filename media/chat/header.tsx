import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ChatStrings } from '../../src/chat/protocol';
import { span } from './format';
import { ask, panel } from './page';
import { fill, header, removed, start } from './state';
import { Button, Icon, IconButton, Notice } from './controls';

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
          <Icon name={`${status.icon}${status.spin ? ' spin' : ''}`} />
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
          <Button kind="link" onClick={() => void ask(panel.request('addAgain', {}))}>
            {strings.addAgain}
          </Button>
        </Notice>
      ) : null}
      <div class="header-actions">
        <IconButton
          icon={`refresh${refreshing ? ' spin' : ''}`}
          label={strings.refresh}
          onClick={() => void ask(panel.request('refresh', {}))}
        />
        <IconButton icon="ellipsis" label={strings.more} onClick={openMenu} />
      </div>
    </header>
  );
}

/** The editor's own menu, which it opens for a click with the other button. */
function openMenu({ currentTarget }: { readonly currentTarget: Element }): void {
  const { left: clientX, bottom: clientY } = currentTarget.getBoundingClientRect();
  currentTarget.dispatchEvent(
    new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX, clientY }),
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
