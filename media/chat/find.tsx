import * as l10n from '@vscode/l10n';
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { partsOfRow, partText, type Row } from '../../src/chat/protocol';
import { IconButton } from './controls';
import { finding, toggle, transcript } from './page';
import type { Place } from './transcript';

/** Typing that comes together is searched for together, ms. */
const GATHER = 120;

/** All places of these words, whatever their case. */
function wordsPattern(words: string): RegExp {
  return new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'giu');
}

function hasWords(text: string, words: string): boolean {
  return words !== '' && text.search(wordsPattern(words)) >= 0;
}

function isCut(row: Row): boolean {
  return partsOfRow(row).some(part => 'cut' in part);
}

/** Finds text in all the page has of the transcript, also where it is collapsed or far away. */
export function FindBar({ list }: { readonly list: { readonly current: Place | undefined } }) {
  const field = useRef<HTMLInputElement>(null);
  const came = useRef(document.activeElement);
  const [words, setWords] = useState('');
  const [matches, setMatches] = useState<readonly Row[]>([]);
  const [at, setAt] = useState(-1);
  const match = matches[at];
  /** Counts how often a match was asked for, which may be the same one again. */
  const [asked, ask] = useReducer((count: number) => count + 1, 0);
  const shown = useRef<string | undefined>(undefined);
  shown.current = match?.key;
  /** The row that is meant, where the words are in what the page does not have of it. */
  const [cut, setCut] = useState<string | undefined>(undefined);
  /** The row that is meant, until a match there was found. */
  const aim = useRef<string | undefined>(undefined);
  const { rows } = transcript.value;

  useEffect(() => {
    const { words: given, key } = finding.value ?? {};
    if (given !== undefined) setWords(given);
    aim.current = key;
    field.current?.select();
  }, [finding.value]);
  useEffect(() => {
    const search = (): void => {
      const found = rows.filter(row => partsOfRow(row).some(part => hasWords(partText(part), words)));
      const aimed = found.findIndex(({ key }) => key === aim.current);
      const beyond = aimed >= 0 ? undefined : rows.find(row => row.key === aim.current && isCut(row))?.key;
      if (aimed >= 0) {
        aim.current = undefined;
        ask(undefined);
      }
      // While rows come in, the match that is shown stays that. What stands nearest to the end is most likely meant.
      const same = found.findIndex(({ key }) => key === shown.current);
      setMatches(found);
      setCut(beyond);
      setAt(beyond !== undefined ? -1 : ([aimed, same].find(index => index >= 0) ?? found.length - 1));
    };
    const timer = setTimeout(search, GATHER);
    return () => clearTimeout(timer);
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
  }, [match?.key, words, asked]);

  const letGo = (): void => {
    aim.current = undefined;
    setCut(undefined);
  };
  const go = (step: number): void => {
    letGo();
    ask(undefined);
    setAt((Math.max(at, step < 0 ? 0 : -1) + step + matches.length) % Math.max(1, matches.length));
  };
  const close = (): void => {
    finding.value = undefined;
    if (came.current instanceof HTMLElement) came.current.focus();
  };
  const count = matches.length === 0 ? l10n.t('No results') : l10n.t('{0} of {1}', at + 1, matches.length);
  const label = l10n.t('Find in this session');
  return (
    <div
      class="find bar"
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

/** Opens the parts of a row that hold the words, and goes to the first of these. */
async function show(row: Row, words: string, list: Place | undefined): Promise<void> {
  for (const [index, part] of partsOfRow(row).entries())
    if (hasWords(partText(part), words)) toggle(`${row.key}:${index}`, true);
  list?.toRow(row.key);
  await new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  const drawn = list?.element(row.key);
  const first = drawn && ranges(drawn, words)[0];
  first?.startContainer.parentElement?.scrollIntoView({ block: 'nearest' });
}
