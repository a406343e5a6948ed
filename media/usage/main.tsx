import '../kit/boot';
import * as l10n from '@vscode/l10n';
import { render, type ComponentChildren } from 'preact';
import { lengthOf, type Column, type TabReport } from '../../src/usage/show/protocol';
import { Icon, IconButton } from '../kit/controls';
import { TryAgain } from './controls';
import { Announcement, Head, Tabs } from './head';
import { connect, fetching, panel, query, refusal, report, situation, slow, state } from './page';
import { Figures, Missing, Person, RangeLine } from './report';
import { SectionView } from './section';
import './main.css';

function Dashboard() {
  const ability = situation.value?.state;
  if (ability === undefined) return null;
  if (ability.kind !== 'ready') {
    const signedOut = ability.kind === 'signedOut';
    const title = signedOut ? l10n.t('Not signed in') : l10n.t('Analytics cannot be read');
    return (
      <main class="usage">
        <h1 class="unseen">{l10n.t('Usage')}</h1>
        <Instead icon={signedOut ? 'key' : 'lock'} title={title}>
          <p role="status">{ability.sentence}</p>
          {signedOut ? (
            <button type="button" class="primary" onClick={() => panel.notify('signIn', {})}>
              {l10n.t('Sign in')}
            </button>
          ) : (
            <TryAgain again />
          )}
        </Instead>
        <Refusal />
        <Announcement />
      </main>
    );
  }
  return (
    <main class="usage">
      <Head />
      <Tabs />
      <div
        id="panel"
        role="tabpanel"
        aria-labelledby={`tab-${state.value.tab}`}
        tabIndex={-1}
        aria-busy={slow.value}
      >
        <Refusal />
        <Body />
      </div>
      <Announcement />
    </main>
  );
}

/** The report; while another tab's is on its way for long, that it is. */
function Body() {
  const shown = report.value;
  const asked = query();
  const isOther = shown?.query.tab !== asked?.tab || shown?.query.person !== asked?.person;
  // A name must not outlive the switch that hides it.
  const isNamed = asked?.pseudonyms === true && shown?.query.pseudonyms === false;
  const isHidden = (isOther && slow.value) || isNamed;
  const empty = shown !== undefined && isEmpty(shown);
  return (
    <>
      {isHidden ? <Instead icon="graph" title={l10n.t('Loading')} /> : null}
      {shown === undefined ? null : (
        <div class={slow.value || isOther ? 'drawing waits' : 'drawing'} hidden={isHidden}>
          {shown.query.person === undefined ? null : <Person name={shown.person} />}
          <Missing report={shown} empty={empty} />
          {empty ? (
            <Empty report={shown} />
          ) : (
            <>
              <RangeLine report={shown} />
              <Figures figures={shown.figures} />
              {shown.sections.map(section => (
                <SectionView key={`${shown.query.tab} ${section.id}`} section={section} report={shown} />
              ))}
            </>
          )}
        </div>
      )}
    </>
  );
}

/** Nothing is known: no figure, and no number in a table. */
function isEmpty({ figures, sections }: TabReport): boolean {
  const isWord = (kind: Column['kind'] | undefined): boolean => kind === 'text' || kind === 'day';
  return (
    figures.every(({ value }) => value === undefined) &&
    sections.every(({ table: { columns, rows } }) =>
      rows.every(({ cells }) => cells.every((cell, at) => cell === null || isWord(columns[at]?.kind))),
    )
  );
}

/** Days without figures: they are on their way, nobody knows them, or nobody did anything. */
function Empty({ report: shown }: { readonly report: TabReport }) {
  const unknown = (shown.missing?.days.length ?? 0) >= lengthOf(shown.query.range);
  const title = unknown ? l10n.t('Nothing is known about these days yet') : l10n.t('No usage in these days');
  return (
    <Instead icon="graph" title={fetching.value === undefined ? title : l10n.t('Fetching')}>
      <RangeLine report={shown} />
      {unknown ? null : (
        <p>
          {l10n.t(
            'The service reports each UTC day on the day after. Choose a longer range, or come back tomorrow.',
          )}
        </p>
      )}
    </Instead>
  );
}

function Refusal() {
  if (refusal.value === undefined) return null;
  return (
    <div class="banner" role="alert">
      <Icon name="error" />
      <div>{refusal.value}</div>
      <IconButton icon="close" label={l10n.t('Dismiss')} onClick={() => (refusal.value = undefined)} />
    </div>
  );
}

interface InsteadProps {
  readonly icon: string;
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** A quiet word in place of figures. */
function Instead({ icon, title, children }: InsteadProps) {
  return (
    <div class="instead" role="status">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

const root = document.getElementById('root');
if (root !== null) {
  render(<Dashboard />, root);
  void connect();
}
