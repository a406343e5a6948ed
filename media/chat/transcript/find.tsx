import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import { partsOfRow, partText, wordsPattern, type Row } from '../../../src/chat/protocol';
import { IconButton } from '../controls';
import { finding, toggle, transcript, wanted } from '../state';
import type { Place } from './list';

/** The `nth` occurrence of the words in a part of a row; `id` is another for other words. */
interface Match {
  readonly id: string;
  readonly key: string;
  readonly part: number;
  readonly nth: number;
}

/** Typing that comes together is searched for together, ms; a step of the search takes no longer than the second. */
const GATHER = 120;
const STEP = 6;
/** Found no further than this. */
const MOST = 10_000;

/** Searches all rows, a little at a time; what it has found is of no use when `signal` was raised meanwhile. */
async function search(rows: readonly Row[], words: string, signal: AbortSignal): Promise<Match[]> {
  const found: Match[] = [];
  if (words === '') return found;
  const pattern = wordsPattern(words);
  let began = performance.now();
  for (const row of rows) {
    const { key } = row;
    for (const [part, shown] of partsOfRow(row).entries()) {
      const count = partText(shown).match(pattern)?.length ?? 0;
      for (let nth = 0; nth < Math.min(count, MOST); nth++)
        found.push({ id: `${key}:${part}:${nth} ${words}`, key, part, nth });
    }
    if (found.length >= MOST || signal.aborted) break;
    if (performance.now() - began < STEP) continue;
    await new Promise(resolve => setTimeout(resolve));
    began = performance.now();
  }
  return found;
}

/** The page has only the beginning of some of it. */
function isCut(row: Row): boolean {
  return partsOfRow(row).some(part => 'cut' in part);
}

/** Finds text in all the page has of the transcript, also where it is collapsed or far away. */
export function FindBar({ list }: { readonly list: { readonly current: Place | undefined } }) {
  const field = useRef<HTMLInputElement>(null);
  const came = useRef(document.activeElement);
  const [words, setWords] = useState('');
  const [matches, setMatches] = useState<readonly Match[]>([]);
  const [at, setAt] = useState(-1);
  const match = matches[at];
  const shown = useRef<string | undefined>(undefined);
  shown.current = match?.id;
  /** The row that is meant, where the words are in what the page does not have of it. */
  const [cut, setCut] = useState<string | undefined>(undefined);
  /** The row that is meant, until a match there was found. */
  const aim = useRef<string | undefined>(undefined);
  const { rows } = transcript.value;

  useEffect(() => {
    const { words: given, key } = wanted.value;
    wanted.value = {};
    if (given !== undefined) setWords(given);
    aim.current = key;
    field.current?.select();
  }, [finding.value]);
  useEffect(() => {
    const abort = new AbortController();
    const begin = async (): Promise<void> => {
      const found = await search(rows, words, abort.signal);
      if (abort.signal.aborted) return;
      const aimed = found.findIndex(({ key }) => key === aim.current);
      const beyond = aimed >= 0 ? undefined : rows.find(row => row.key === aim.current && isCut(row))?.key;
      if (aimed >= 0) aim.current = undefined;
      // While rows come in, the match that is shown stays that. What stands nearest to the end is most likely meant.
      const same = found.findIndex(({ id }) => id === shown.current);
      setMatches(found);
      setCut(beyond);
      setAt(beyond !== undefined ? -1 : ([aimed, same].find(index => index >= 0) ?? found.length - 1));
    };
    const timer = setTimeout(() => void begin(), GATHER);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [words, rows, finding.value]);
  useEffect(() => {
    if (cut !== undefined) list.current?.toRow(cut);
  }, [cut]);
  useEffect(() => {
    const log = document.querySelector('.log');
    if (log === null) return;
    const mark = (): unknown => CSS.highlights.set('find', new Highlight(...ranges(log, words)));
    const observer = new MutationObserver(mark);
    observer.observe(log, { childList: true, subtree: true });
    mark();
    if (match !== undefined) void show(match, words, list.current);
    return () => {
      observer.disconnect();
      CSS.highlights.clear();
    };
  }, [match?.id]);

  const letGo = (): void => {
    aim.current = undefined;
    setCut(undefined);
  };
  const go = (step: number): void => {
    letGo();
    setAt((Math.max(at, step < 0 ? 0 : -1) + step + matches.length) % Math.max(1, matches.length));
  };
  const close = (): void => {
    finding.value = 0;
    if (came.current instanceof HTMLElement) came.current.focus();
  };
  const all = `${matches.length}${matches.length < MOST ? '' : '+'}`;
  const count = matches.length === 0 ? l10n.t('No results') : l10n.t('{0} of {1}', at + 1, all);
  const label = l10n.t('Find in this session');
  return (
    <div
      class="find"
      role="search"
      onKeyDown={event => {
        if (event.isComposing) return;
        if (event.key === 'Escape') close();
        else if (event.key === 'Enter' && event.target === field.current) go(event.shiftKey ? -1 : 1);
        else return;
        event.preventDefault();
      }}
    >
      <input
        ref={field}
        aria-label={label}
        placeholder={label}
        value={words}
        onInput={event => {
          letGo();
          setWords(event.currentTarget.value);
        }}
      />
      <output>
        {words !== '' &&
          (cut === undefined ? count : l10n.t('In the part of this message that is not shown here'))}
      </output>
      <IconButton icon="arrow-up" label={l10n.t('Previous match')} onClick={() => go(-1)} />
      <IconButton icon="arrow-down" label={l10n.t('Next match')} onClick={() => go(1)} />
      <IconButton icon="close" label={l10n.t('Close')} onClick={close} />
    </div>
  );
}

/** Ranges of the words in what is drawn, also across the colours of code; never across blocks. */
function ranges(root: Node, words: string): Range[] {
  if (words === '') return [];
  const nodes: { readonly node: Text; readonly from: number }[] = [];
  let text = '';
  let block: Element | null | undefined;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() !== null) {
    const node = walker.currentNode as Text;
    const around = node.parentElement?.closest('p, pre, li, td, th, h3, h4, h5, h6, summary');
    if (around !== block) text += '\n';
    block = around;
    nodes.push({ node, from: text.length });
    text += node.data;
  }
  let at = 0;
  const place = (index: number): [Text, number] | undefined => {
    while (index > (nodes[at]?.from ?? 0) + (nodes[at]?.node.length ?? 0) && at < nodes.length - 1) at++;
    const held = nodes[at];
    return held === undefined || index < held.from ? undefined : [held.node, index - held.from];
  };
  return [...text.matchAll(wordsPattern(words))].flatMap(({ index, 0: found }) => {
    const range = document.createRange();
    const [start, end] = [place(index), place(index + found.length)];
    if (start === undefined || end === undefined) return [];
    range.setStart(...start);
    range.setEnd(...end);
    return [range];
  });
}

/** Opens the part that holds a match, goes there, and marks it as the current one. */
async function show({ key, part, nth }: Match, words: string, list: Place | undefined): Promise<void> {
  if (list === undefined) return;
  toggle(`${key}:${part}`, true);
  list.toRow(key);
  await new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  const parts = list.element(key)?.querySelectorAll('article > :is(.markdown, .fold, .line, .picture)');
  const whole = parts?.[part];
  if (!whole) return;
  const found = ranges(whole.querySelector('.fold-body') ?? whole, words);
  const range = found[nth] ?? found.at(-1) ?? ranges(whole, words)[0];
  if (range === undefined) return;
  CSS.highlights.set('current', new Highlight(range));
  range.startContainer.parentElement?.scrollIntoView({ block: 'nearest' });
}
