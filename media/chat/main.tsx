import '../kit/boot';
import * as l10n from '@vscode/l10n';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Composer } from './composer';
import { Button, Icon, IconButton, Notice } from './controls';
import { announcement, ask, askOnce, connect, panel, start, panelState, words } from './page';
import { prepareMarkdown } from './rows';
import { Transcript } from './transcript';
import './chat.css';
import './transcript.css';

function Chat() {
  if (start.value === undefined) return null;
  return (
    <div class="chat" key={start.value}>
      <Header />
      <Transcript />
      <Composer />
      <div class="announcer unseen" role="status" aria-live="polite">
        {announcement.value}
      </div>
    </div>
  );
}

function Header() {
  if (panelState.value === undefined) return <header class="header" />;
  const { title, facts, status, tokens, messages, changes, problem, refreshing, about } =
    panelState.value.header;
  return (
    <header class="header" data-vscode-context={about}>
      <div class="header-line bar">
        <h1 class="one-line" title={title}>
          {title}
        </h1>
        <span class="status bar">
          <Icon name={`${status.icon}${status.spin ? ' spin' : ''}`} />
          <span>{status.word}</span>
          <Age />
        </span>
        <IconButton
          icon={`refresh${refreshing ? ' spin' : ''}`}
          label={l10n.t('Refresh')}
          onClick={() => void ask(panel.request('refresh', {}))}
        />
        <IconButton icon="ellipsis" label={l10n.t('More actions')} onClick={openMenu} />
      </div>
      <ul class="facts quiet">
        {facts.map(({ label, value }) => (
          <li class="one-line" key={label} title={`${label}: ${value}`}>
            {value}
          </li>
        ))}
        {tokens && (
          <li>
            <button type="button" class="tokens" aria-describedby="tokens">
              {tokens.short}
            </button>
          </li>
        )}
        {messages && <li>{messages}</li>}
      </ul>
      {changes && (
        <Button
          kind="link"
          title={changes.lines.join('\n')}
          onClick={() => void ask(panel.request('showChanges', {}))}
        >
          <Icon name="git-branch" /> {changes.short}
        </Button>
      )}
      {tokens && (
        <div class="tooltip" role="tooltip" id="tokens">
          {tokens.detail}
        </div>
      )}
      <Notice icon="warning">{problem}</Notice>
      {panelState.value.removed && (
        <Notice icon="info">
          {l10n.t('This session is no longer in your list.')}{' '}
          <Button kind="link" onClick={() => void askOnce(panel.request('addAgain', {}))}>
            {l10n.t('Add it again')}
          </Button>
        </Notice>
      )}
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

/** How long ago the status was known; moves on while the page is seen. */
function Age() {
  const { header: known, receivedAt = 0 } = panelState.value ?? {};
  const [now, setNow] = useState(performance.now());
  const since = known?.statusAge;
  const age = (since ?? 0) + Math.max(0, now - receivedAt);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span class="quiet one-line">{ageWords(since, age, known?.problem !== undefined)}</span>;
}

function ageWords(since: number | undefined, age: number, isOld: boolean): string {
  if (since === undefined) return l10n.t('not checked yet');
  if (isOld) return l10n.t('last known {0} ago', words.span(age));
  return age < 2000 ? l10n.t('checked just now') : l10n.t('checked {0} ago', words.span(age));
}

const root = document.getElementById('root');
if (root !== null) {
  render(<Chat />, root);
  connect();
  // What follows takes long, and is done while the panel answers.
  void prepareMarkdown();
}
