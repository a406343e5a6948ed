import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { goesOn, type Kept, type MessageRow, type Row } from '../../src/chat/protocol';
import { Icon, Notice } from './controls';
import { FindBar } from './find';
import {
  announce,
  ask,
  copied,
  finding,
  following,
  keepScroll,
  list,
  panel,
  panelState,
  scroll,
  transcript,
  type Rows,
} from './page';
import { RowView } from './rows';

/** The transcript with its empty and loading states, and the way back to the end. */
export function Transcript() {
  const known = transcript.value;
  /** The last message when the reader was at the end. */
  const seen = useRef<string | undefined>(undefined);

  if (following.value || seen.current === undefined) seen.current = known.rows.findLast(isMessage)?.key;
  const unseen = following.value ? 0 : messagesAfter(known.rows, seen.current);
  useAnswers(known);

  useEffect(() => {
    const keyDown = (event: KeyboardEvent): void => {
      const command = /mac/i.test(navigator.platform) ? event.metaKey : event.ctrlKey;
      if (!command || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'f') return;
      event.preventDefault();
      finding.value = {};
    };
    window.addEventListener('keydown', keyDown);
    return () => window.removeEventListener('keydown', keyDown);
  }, []);

  if (known.isWhole === undefined) {
    const problem = panelState.value?.transcriptProblem;
    return (
      <main class="transcript">
        {problem === undefined ? (
          <p class="loading late quiet">{l10n.t('Loading')}</p>
        ) : (
          <Notice icon="error">{problem}</Notice>
        )}
      </main>
    );
  }
  const toLatest = l10n.t('Go to latest message');
  return (
    <main class="transcript" onClick={click}>
      {finding.value !== undefined && <FindBar />}
      <h2 class="unseen">{l10n.t('Transcript')}</h2>
      <List rows={known} />
      {known.isWhole && known.rows.length === 0 && (
        <div class="empty quiet">
          <Icon name="comment" />
          <h2>{l10n.t('No messages yet')}</h2>
          <p>
            {l10n.t(
              'Write to the agent below. To attach files, right-click them in the Explorer, paste them, or drop them: here while holding Shift, or on a session in the Sessions view.',
            )}
          </p>
        </div>
      )}
      {!following.value && (
        <button type="button" class="to-latest bar" title={toLatest} onClick={() => list.current?.back()}>
          {unseen === 0 ? toLatest : l10n.t('{0} new', unseen)}
          <Icon name="arrow-down" />
        </button>
      )}
    </main>
  );
}

const isMessage = (row: Row): row is MessageRow => row.kind === 'message' && row.send === undefined;

/** Says the beginning of what the agent answers since the page is there, by a clock that may be a minute behind. */
function useAnswers({ rows, isWhole }: Rows): void {
  const heard = useRef<string | undefined>(undefined);
  const last = isWhole === true ? rows.findLast(row => isMessage(row) && row.author === 'agent') : undefined;
  useEffect(() => {
    if (isWhole !== true) return;
    const isNew = heard.current !== undefined && heard.current !== last?.key;
    heard.current = last?.key ?? '';
    if (last?.kind !== 'message' || !isNew || (last.at ?? 0) < performance.timeOrigin - 60_000) return;
    const said = last.parts.find(part => part.kind === 'text');
    if (said !== undefined) announce(l10n.t('Agent: {0}', said.text.slice(0, 300)));
  }, [last?.key, isWhole]);
}

function messagesAfter(rows: readonly Row[], key: string | undefined): number {
  const from = rows.findLastIndex(row => row.key === key);
  return from < 0 ? 0 : rows.slice(from + 1).filter(isMessage).length;
}

/** Links, names of files and the buttons of code inside rendered Markdown. Nothing reaches the editor's own handling of links. */
function click(event: MouseEvent): void {
  const target = event.target instanceof Element ? event.target : undefined;
  const link = target?.closest('a');
  if (link) {
    event.preventDefault();
    event.stopPropagation();
    const { className, href, text: path } = link;
    void ask(
      className === 'path' ? panel.request('openPath', { path }) : panel.request('openLink', { href }),
    );
    return;
  }
  const button = target?.closest<HTMLElement>('button[data-act]');
  const text = button?.closest('.code')?.querySelector('pre')?.textContent;
  if (text === undefined || !button) return;
  const { act } = button.dataset;
  if (act === 'copy') void copied(button, panel.request('copy', { text }));
  else if (act === 'insertCode' || act === 'compareDiff' || act === 'applyDiff')
    void ask(panel.request(act, { text }));
}

/** Pixels drawn beyond each edge of the viewport. */
const BUFFER = 400;
/** This near to the end counts as being there, px. */
const AT_END = 8;
/** Rows that tell how high one is that was never drawn. */
const ENOUGH = 10;

/**
 * The rows of a transcript; only those near the viewport exist. Opens at the end, follows it while the reader is there, and
 * otherwise keeps what is read where it is, whatever arrives before or after.
 */
function List({ rows }: { readonly rows: Rows }) {
  const viewport = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [place] = useState(() => new Place(() => redraw(undefined)));
  const [first, last] = place.draw(rows);

  useLayoutEffect(() => {
    if (viewport.current === null || box.current === null) return;
    list.current = place;
    return place.observe(viewport.current, box.current);
  }, []);
  useLayoutEffect(() => {
    place.settle();
    // What had the focus is no longer drawn: the reader goes on from the list, not from the top of the page.
    if (hadFocus.current && document.activeElement === document.body) place.focus();
  });
  return (
    <div
      class="log"
      role="log"
      aria-live="off"
      aria-label={l10n.t('Transcript')}
      tabIndex={0}
      ref={viewport}
      onScroll={() => place.scrolled()}
      onKeyDown={event => place.keyDown(event)}
      onFocusIn={() => (hadFocus.current = true)}
      onFocusOut={({ target }) => (hadFocus.current = target instanceof HTMLButtonElement && target.disabled)}
    >
      <div class="rows" ref={box}>
        {rows.rows.slice(first, last + 1).map((row, index) => (
          <Item key={row.key} row={row} continued={goesOn(row, rows.rows[first + index - 1])} />
        ))}
      </div>
    </div>
  );
}

function Item({ row, continued }: { readonly row: Row; readonly continued: boolean }) {
  // The same one draws nothing anew.
  const content = useMemo(() => <RowView row={row} continued={continued} />, [row, continued]);
  return <div class="row">{content}</div>;
}

/**
 * Where the list stands: at a row, or at its end. All else follows from that: which rows are drawn, and how far the viewport is
 * scrolled, again whenever rows or their heights change. Only a reader changes it.
 */
export class Place {
  readonly #redraw: () => void;
  #at = scroll;
  #rows: readonly Row[] = [];
  #isWhole = false;
  /** By key, as they were drawn last. */
  readonly #heights = new Map<string, number>();
  #estimate = 80;
  /** Where each row begins and the last one ends, px. */
  #tops: Float64Array | undefined;
  #drawn: readonly [first: number, last: number] = [0, -1];
  #log: HTMLElement | undefined;
  #box: HTMLElement | undefined;
  /** The viewport as it was left here: whatever differs from that is the reader's doing, or a change of sizes. */
  #left = { top: 0, height: 0, whole: 0 };

  constructor(redraw: () => void) {
    this.#redraw = redraw;
  }

  observe(log: HTMLElement, box: HTMLElement): () => void {
    [this.#log, this.#box] = [log, box];
    const observer = new ResizeObserver(() => this.settle());
    observer.observe(log);
    observer.observe(box);
    following.value = this.#at === undefined;
    return () => observer.disconnect();
  }

  /** The first and the last of these rows to draw. */
  draw({ rows, isWhole }: Rows): readonly [first: number, last: number] {
    if (rows !== this.#rows) {
      // What was scrolled just now, before the browser tells of it.
      this.scrolled();
      const before = this.#rows;
      const tops = this.#allTops();
      this.#rows = rows;
      this.#isWhole = isWhole === true;
      this.#tops = undefined;
      this.#keepPlace(before, tops);
    }
    return (this.#drawn = this.#range());
  }

  /** A row that went is stood for by the next one that is still there. */
  #keepPlace(before: readonly Row[], tops: Float64Array): void {
    const at = this.#at;
    if (at === undefined || this.#indexOf(at.key) >= 0) return;
    const was = before.findIndex(row => row.key === at.key);
    if (was < 0) {
      // It may be among the rows that are still to come.
      if (this.#isWhole) this.#go(undefined);
      return;
    }
    const keys = new Set(this.#rows.map(row => row.key));
    const next = before.findIndex((row, index) => index > was && keys.has(row.key));
    const key = before[next]?.key;
    this.#go(
      key === undefined ? undefined : { key, offset: at.offset + (tops[was] ?? 0) - (tops[next] ?? 0) },
    );
  }

  /** After drawing, and when sizes have changed: takes the heights of the rows, and puts the viewport where it belongs. */
  settle(): void {
    const [log, box] = [this.#log, this.#box];
    // A page that is put away loses its height, and with it its place: that is nobody's doing.
    if (log === undefined || box === undefined || log.clientHeight === 0) return;
    const [first, last] = this.#drawn;
    for (const [index, { key }] of this.#rows.slice(first, last + 1).entries()) {
      const height = box.children[index]?.getBoundingClientRect().height ?? 0;
      if (this.#heights.get(key) === height) continue;
      this.#heights.set(key, height);
      this.#tops = undefined;
      if (this.#heights.size === ENOUGH)
        this.#estimate = [...this.#heights.values()].reduce((sum, each) => sum + each, 0) / ENOUGH;
    }
    const tops = this.#allTops();
    box.style.paddingTop = `${String(tops[first] ?? 0)}px`;
    box.style.paddingBottom = `${String((tops.at(-1) ?? 0) - (tops[last + 1] ?? 0))}px`;
    const top = this.#index < 0 ? log.scrollHeight - log.clientHeight : this.#top;
    if (Math.abs(log.scrollTop - top) >= 1) log.scrollTop = top;
    this.#left = { top: log.scrollTop, height: log.clientHeight, whole: log.scrollHeight };
    this.#redrawIfNeeded();
  }

  /** The viewport may have been scrolled, by the reader or by what they do. */
  scrolled(): void {
    const log = this.#log;
    if (log === undefined || log.clientHeight === 0 || Math.abs(log.scrollTop - this.#left.top) < 1) return;
    // The browser moved it because there is less than before.
    if (log.clientHeight !== this.#left.height || log.scrollHeight !== this.#left.whole) {
      this.settle();
      return;
    }
    this.#left.top = log.scrollTop;
    const isAtEnd = log.scrollHeight - log.clientHeight - log.scrollTop <= AT_END;
    const index = this.#rowAt(log.scrollTop);
    const key = this.#rows[index]?.key;
    const offset = log.scrollTop - (this.#allTops()[index] ?? 0);
    this.#go(isAtEnd || key === undefined ? undefined : { key, offset });
    this.#redrawIfNeeded();
  }

  focus(): void {
    this.#log?.focus({ preventScroll: true });
  }

  /** Takes the reader to the end, with the keyboard. */
  back(): void {
    this.toEnd();
    this.focus();
  }

  toEnd(): void {
    this.#go(undefined);
    this.settle();
  }

  /** Brings a row near the top; it is drawn there with the next frame. */
  toRow(key: string, offset = -48): void {
    this.#go({ key, offset });
    this.settle();
  }

  element(key: string): Element | undefined {
    return this.#box?.children[this.#indexOf(key) - this.#drawn[0]];
  }

  /** A browser's own way to the top stops where rows on the way turn out to be of another height than thought. */
  keyDown(event: KeyboardEvent): void {
    if ((event.key !== 'End' && event.key !== 'Home') || event.target !== event.currentTarget) return;
    event.preventDefault();
    const [first] = this.#rows;
    if (event.key === 'End' || first === undefined) this.toEnd();
    else this.toRow(first.key, 0);
  }

  /** Kept at once: the page may be put away the next moment. */
  #go(at: Kept['scroll']): void {
    this.#at = at;
    following.value = at === undefined;
    keepScroll(at && { key: at.key, offset: Math.round(at.offset) });
  }

  #redrawIfNeeded(): void {
    const [first, last] = this.#range();
    if (first !== this.#drawn[0] || last !== this.#drawn[1]) this.#redraw();
  }

  #range(): readonly [first: number, last: number] {
    const top = this.#top;
    return [this.#rowAt(top - BUFFER), this.#rowAt(top + this.#height + BUFFER)];
  }

  get #height(): number {
    return this.#log?.clientHeight ?? window.innerHeight;
  }

  /** Of the row that keeps the place; -1 at the end, and as long as it has not come in. */
  get #index(): number {
    return this.#at === undefined ? -1 : this.#indexOf(this.#at.key);
  }

  get #top(): number {
    const tops = this.#allTops();
    const index = this.#index;
    const end = (tops.at(-1) ?? 0) - this.#height;
    // Rows that were thought higher than they are leave a place before the first one.
    return index < 0 ? end : Math.max(0, (tops[index] ?? 0) + (this.#at?.offset ?? 0));
  }

  #indexOf(key: string): number {
    return this.#rows.findIndex(row => row.key === key);
  }

  #rowAt(top: number): number {
    const index = this.#allTops().findLastIndex(each => each <= top);
    return Math.min(Math.max(0, index), this.#rows.length - 1);
  }

  #allTops(): Float64Array {
    if (this.#tops !== undefined) return this.#tops;
    const tops = new Float64Array(this.#rows.length + 1);
    let top = 0;
    for (const [index, { key }] of this.#rows.entries())
      tops[index + 1] = top += this.#heights.get(key) ?? this.#estimate;
    return (this.#tops = tops);
  }
}
