import '../kit/boot';
import * as l10n from '@vscode/l10n';
import { render } from 'preact';
import type { ReportView } from '../../src/readiness/protocol';
import { TrendChart } from './chart';
import { connect, missing, panel, report, state } from './page';
import { Applications, Commits, Criteria, Trend } from './tables';
import './main.css';

function Report() {
  const view = report.value;
  if (missing.value !== undefined) {
    return (
      <main>
        <p role="status">{missing.value}</p>
      </main>
    );
  }
  if (view === undefined) return null;
  return (
    <main>
      <Head view={view} />
      <Changes view={view} />
      <Criteria view={view} />
      <Applications view={view} />
      <Trend view={view} />
      <Commits />
      <About view={view} />
    </main>
  );
}

function Head({ view }: { readonly view: ReportView }) {
  const failing = view.criteria.some(({ passes, change }) => !passes && change !== 'gone');
  return (
    <header>
      <div class="title">
        <h1 tabIndex={-1} aria-describedby="subtitle">
          {view.title}
        </h1>
        <span id="subtitle" class="quiet">
          {view.subtitle}
        </span>
      </div>
      <div class="summary">
        <p class="score">
          {view.score} {view.delta !== '' && <span class="delta">{view.delta}</span>}
        </p>
        <TrendChart view={view} />
      </div>
      <div class="actions" role="group" aria-label={l10n.t('Actions')}>
        <button class="primary" disabled={!failing} onClick={() => panel.notify('fix', { criteria: [] })}>
          {l10n.t('Fix failing criteria…')}
        </button>
        <button class="secondary" onClick={() => panel.notify('export', {})}>
          {l10n.t('Export Markdown')}
        </button>
      </div>
      {view.notes.length > 0 && (
        <ul class="notes">
          {view.notes.map(note => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </header>
  );
}

/** What changed since the report compared with; which report that is can be changed here. */
function Changes({ view }: { readonly view: ReportView }) {
  const count = (change: string): number => view.criteria.filter(row => row.change === change).length;
  const counts = [count('worse'), count('better'), count('new'), count('gone')];
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">
        {view.baseId === undefined ? l10n.t('Compare with') : l10n.t('Changes since {0}', view.base)}
      </h2>
      <p>
        {view.baseId === undefined
          ? l10n.t('This branch has no earlier report. Choose a report below to compare with.')
          : counts.every(each => each === 0)
            ? l10n.t('No criterion changed.')
            : l10n.t('{0} worse, {1} better, {2} new, {3} gone', ...counts)}
      </p>
      {state.value?.baseId !== undefined && (
        <button class="link" onClick={() => panel.notify('compare', {})}>
          {l10n.t('Compare with the previous report of this branch')}
        </button>
      )}
    </section>
  );
}

function About({ view }: { readonly view: ReportView }) {
  return (
    <section aria-labelledby="about">
      <h2 id="about">{l10n.t('About this report')}</h2>
      <dl>
        {view.facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const root = document.getElementById('root');
if (root !== null) {
  render(<Report />, root);
  connect();
}
