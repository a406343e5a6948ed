import { useEffect, useRef, useState } from 'preact/hooks';
import { partsOfRow, partText, wordsPattern, type ChatStrings, type Row } from '../../../src/chat/protocol';
import type { ListHandle } from './list';
import { fill, finding, toggle, transcript, wanted } from '../state';
import { IconButton } from '../controls';

/** The `nth` occurrence in a part of a row. */
interface Match {
  readonly key: string;
  readonly part: number;
  readonly nth: number;
}

/** Typing that comes together is searched for together, ms; a step of the search takes no longer than the second. */
const GATHER = 120;
const STEP = 6;
/** Found no further than this. */
const MOST = 10_000;

/** Searches all rows, a little at a time; resolves to nothing when `signal` was raised meanwhile. */
async function search(
  rows: readonly Row[],
  words: string,
  signal: AbortSignal,
): Promise<Match[] | undefined> {
  const found: Match[] = [];
  const wanted = wordsPattern(words);
  let began = performance.now();
  for (const content of rows) {
    const { key } = content;
    const parts = partsOfRow(content);
    for (const [part, shown] of parts.entries()) {
      const count = partText(shown).match(wanted)?.length ?? 0;
      for (let nth = 0; nth < Math.min(count, MOST); nth++) found.push({ key, part, nth });
    }
    if (found.length >= MOST) break;
    if (performance.now() - began < STEP) continue;
    await new Promise(resolve => setTimeout(resolve));
    if (signal.aborted) return undefined;
    began = performance.now();
  }
  return found;
}

/** The page has only the beginning of some of it. */
function isCut(row: Row): boolean {
  return partsOfRow(row).some(part => 'cut' in part);
}

function isSame(match: Match, other: Match | undefined): boolean {
  return match.key === other?.key && match.part === other.part && match.nth === other.nth;
}

interface FindBarProps {
  readonly strings: ChatStrings;
  readonly list: () => ListHandle | undefined;
}

/** Finds text in all the page has of the transcript, also where it is collapsed or far away. */
export function FindBar({ strings, list }: FindBarProps) {
  const field = useRef<HTMLInputElement>(null);
  const came = useRef(document.activeElement);
  const [words, setWords] = useState('');
  const [matches, setMatches] = useState<readonly Match[]>([]);
  const [at, setAt] = useState(-1);
  const sought = useRef('');
  const current = useRef<Match | undefined>(undefined);
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
    const timer = setTimeout(() => {
      void search(words === '' ? [] : rows, words, abort.signal).then(found => {
        if (found === undefined || abort.signal.aborted) return;
        // What stands nearest to the end is most likely meant; while rows come in, the match that is shown stays that.
        const shown = sought.current === words ? current.current : undefined;
        const place = found.findIndex(other => isSame(other, shown));
        sought.current = words;
        setMatches(found);
        const aimed = found.findIndex(other => other.key === aim.current);
        const beyond = aimed >= 0 ? undefined : rows.find(row => row.key === aim.current && isCut(row))?.key;
        if (aimed >= 0) aim.current = undefined;
        setCut(beyond);
        if (beyond !== undefined) setAt(-1);
        else setAt(aimed >= 0 ? aimed : place < 0 ? found.length - 1 : place);
      });
    }, GATHER);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [words, rows, finding.value]);

  useEffect(() => {
    if (cut !== undefined) list()?.toRow(cut);
  }, [cut]);
  const match = matches[at];
  current.current = match;
  const key = match === undefined ? '' : `${match.key}:${match.part}:${match.nth} ${words}`;
  useEffect(() => {
    const log = document.querySelector('.log');
    if (log === null) return;
    const mark = (): void => markAll(log, words);
    const observer = new MutationObserver(mark);
    observer.observe(log, { childList: true, subtree: true });
    mark();
    if (match !== undefined) void show(match, words, list());
    return () => {
      observer.disconnect();
      CSS.highlights.clear();
    };
  }, [key]);

  const letGo = (): void => {
    aim.current = undefined;
    setCut(undefined);
  };
  const go = (step: number): void => {
    letGo();
    setAt((at + step + matches.length) % Math.max(1, matches.length));
  };
  const close = (): void => {
    finding.value = 0;
    if (came.current instanceof HTMLElement) came.current.focus();
  };
  const count = fill(
    strings.findCount,
    String(at + 1),
    `${matches.length}${matches.length < MOST ? '' : '+'}`,
  );
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
        aria-label={strings.find}
        placeholder={strings.find}
        value={words}
        onInput={event => {
          letGo();
          setWords(event.currentTarget.value);
        }}
      />
      <output>
        {words === ''
          ? ''
          : cut !== undefined
            ? strings.findCut
            : matches.length === 0
              ? strings.findNothing
              : count}
      </output>
      <IconButton icon="arrow-up" label={strings.findPrevious} onClick={() => go(-1)} />
      <IconButton icon="arrow-down" label={strings.findNext} onClick={() => go(1)} />
      <IconButton icon="close" label={strings.close} onClick={close} />
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
    return held === undefined ? undefined : [held.node, index - held.from];
  };
  return [...text.matchAll(wordsPattern(words))].flatMap(({ index, 0: found }) => {
    const range = document.createRange();
    const [start, end] = [place(index), place(index + found.length)];
    if (start === undefined || end === undefined || start[1] < 0 || end[1] < 0) return [];
    range.setStart(...start);
    range.setEnd(...end);
    return [range];
  });
}

function markAll(log: Element, words: string): void {
  CSS.highlights.set('find', new Highlight(...ranges(log, words)));
}

/** Opens the part that holds a match, goes there, and marks it as the current one. */
async function show(
  { key, part: at, nth }: Match,
  words: string,
  list: ListHandle | undefined,
): Promise<void> {
  if (list === undefined) return;
  toggle(`${key}:${at}`, true);
  list.toRow(key);
  await new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  const parts = list.element(key)?.querySelectorAll('article > :is(.markdown, .fold, .line, .picture)');
  const part = parts?.[at];
  const body = part?.querySelector('.fold-body') ?? part;
  if (!body) return;
  const found = ranges(body, words);
  const range = found[nth] ?? found.at(-1) ?? ranges(part ?? body, words)[0];
  if (range === undefined) return;
  CSS.highlights.set('current', new Highlight(range));
  range.startContainer.parentElement?.scrollIntoView({ block: 'nearest' });
}
