import '../kit/boot';
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ReportView } from '../../src/readiness/protocol';
import { TrendChart } from './chart';
import { Criteria } from './criteria';
import {
  announced,
  arrive,
  chosen,
  compareWith,
  connect,
  fill,
  missing,
  panel,
  report,
  strings,
} from './page';
import { Applications, Commits, Trend } from './sections';
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
  if (view === undefined || strings.value === undefined) return null;
  return (
    <main>
      <p class="unseen" role="status">
        {announced.value}
      </p>
      <Head view={view} />
      <Changes view={view} />
      <Criteria />
      <Applications view={view} />
      <Trend view={view} />
      <Commits />
      <About view={view} />
    </main>
  );
}

function Head({ view }: { readonly view: ReportView }) {
  const texts = strings.value;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!arrive('report', heading.current)) return;
    announced.value = fill(texts?.opened ?? '', view.subtitle, view.score);
  }, [view.reportId]);
  if (texts === undefined) return null;
  const failing = view.criteria.some(({ passes, change }) => !passes && change !== 'gone');
  return (
    <header>
      <div class="title">
        <h1 ref={heading} tabIndex={-1} aria-describedby="subtitle">
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
      <div class="actions" role="group" aria-label={texts.actions}>
        <button class="primary" disabled={!failing} onClick={() => panel.notify('fix', { criteria: [] })}>
          {texts.fix}
        </button>
        <button class="secondary" onClick={() => panel.notify('export', {})}>
          {texts.markdown}
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
  const texts = strings.value;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => void arrive('changes', heading.current), [view.baseId, chosen.value]);
  if (texts === undefined) return null;
  const count = (change: string): number => view.criteria.filter(row => row.change === change).length;
  const counts = [count('worse'), count('better'), count('new'), count('gone')];
  return (
    <section aria-labelledby="changes">
      <h2 id="changes" ref={heading} tabIndex={-1}>
        {view.baseId === undefined ? texts.compareWith : fill(texts.changes, view.base)}
      </h2>
      <p>
        {view.baseId === undefined
          ? texts.noBase
          : counts.every(each => each === 0)
            ? texts.noChanges
            : fill(texts.counts, ...counts)}
      </p>
      {chosen.value && (
        <button class="link" onClick={() => compareWith()}>
          {`${texts.compareWith} ${texts.previous}`}
        </button>
      )}
    </section>
  );
}

function About({ view }: { readonly view: ReportView }) {
  return (
    <section aria-labelledby="about">
      <h2 id="about">{strings.value?.about}</h2>
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
