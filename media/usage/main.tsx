import '../kit/boot';
import * as l10n from '@vscode/l10n';
import { render, type ComponentChildren } from 'preact';
import { lengthOf } from '../../src/usage/protocol';
import { Icon } from '../kit/controls';
import { Head, Said, Tabs, TryAgain } from './head';
import { connect, fetching, panel, query, report, situation, slow } from './page';
import { Figures, Missing, Person, RangeLine, SectionView } from './report';
import './main.css';

function Dashboard() {
  const ability = situation.value?.state;
  if (ability === undefined) return null;
  if (ability.kind === 'ready') {
    return (
      <main class="usage">
        <Head />
        <Tabs />
        <div id="panel" tabIndex={-1} aria-busy={slow.value}>
          <Body />
        </div>
        <Said />
      </main>
    );
  }
  const signedOut = ability.kind === 'signedOut';
  const title = signedOut ? l10n.t('Not signed in') : l10n.t('Analytics cannot be read');
  return (
    <main class="usage">
      <h1 class="unseen">{l10n.t('Usage')}</h1>
      <Instead icon={signedOut ? 'key' : 'lock'} title={title}>
        <p>{ability.sentence}</p>
        {signedOut ? (
          <button type="button" class="primary" onClick={() => panel.notify('signIn', {})}>
            {l10n.t('Sign in')}
          </button>
        ) : (
          <TryAgain again />
        )}
      </Instead>
      <Said />
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
  const isEmpty = shown !== undefined && shown.missing.length === lengthOf(shown.query.range);
  return (
    <>
      {isHidden ? <Instead icon="graph" title={l10n.t('Loading')} /> : null}
      {shown === undefined ? null : (
        <div class={slow.value || isOther ? 'drawing waits' : 'drawing'} hidden={isHidden}>
          {shown.query.person === undefined ? null : <Person name={shown.person} />}
          <Missing report={shown} />
          <RangeLine report={shown} />
          {isEmpty ? (
            <Instead
              icon="graph"
              title={fetching.value ? l10n.t('Fetching') : l10n.t('Nothing is known about these days yet')}
            />
          ) : (
            <>
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
