import * as l10n from '@vscode/l10n';
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { partsOfRow, partText, type Row } from '../../src/chat/protocol';
import { IconButton } from './controls';
import { finding, list, toggle, transcript } from './page';

/** Typing that comes together is searched for together, ms. */
const GATHER = 120;

/** The marks of Markdown, which nobody sees. */
const MARKS = /\]\([^()[\]\n]*\)|[`*_~[\]]/g;

/** All places of these words, whatever their case and what space is between them. */
function wordsPattern(words: string): RegExp {
  return new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+'), 'giu');
}

/** Whether a text holds the words as it is written or as it is shown. */
function hasWords(text: string, words: string): boolean {
  const pattern = wordsPattern(words);
  return words !== '' && [text, text.replace(MARKS, '')].some(each => each.search(pattern) >= 0);
}

/** All that is shown of a row. */
function textsOf(row: Row): readonly string[] {
  if (row.kind !== 'message') return [];
  const labels = row.parts.map(part => (part.kind === 'fold' ? part.label.join('') : ''));
  return [...row.parts.map(partText), ...labels, ...row.chips.map(({ name }) => name)];
}

/** Finds text in all the page has of the transcript, also where it is collapsed or far away. */
export function FindBar() {
  const field = useRef<HTMLInputElement>(null);
  const came = useRef(document.activeElement);
  const [typed, setTyped] = useState('');
  const words = typed.trim();
  const [matches, setMatches] = useState<readonly Row[]>([]);
  const [at, setAt] = useState(-1);
  const match = matches[at];
  /** Counts how often a match was asked for, which may be the same one again. */
  const [asked, ask] = useReducer((count: number) => count + 1, 0);
  const shown = useRef<string | undefined>(undefined);
  shown.current = match?.key;
  /** The row that is meant, where the words are not in what the page has of it. */
  const [beyond, setBeyond] = useState<Row | undefined>(undefined);
  /** The row that is meant, until a match there was found. */
  const aim = useRef<string | undefined>(undefined);
  const { rows } = transcript.value;

  useEffect(() => {
    const { words: given, key } = finding.value ?? {};
    if (given !== undefined) setTyped(given);
    aim.current = key;
    field.current?.select();
  }, [finding.value]);
  useEffect(() => {
    const search = (): void => {
      const found = rows.filter(row => textsOf(row).some(text => hasWords(text, words)));
      const aimed = found.findIndex(({ key }) => key === aim.current);
      const meant = aimed >= 0 ? undefined : rows.find(({ key }) => key === aim.current);
      if (aimed >= 0) {
        aim.current = undefined;
        ask(undefined);
      }
      // While rows come in, the match that is shown stays that. What stands nearest to the end is most likely meant.
      const same = found.findIndex(({ key }) => key === shown.current);
      setMatches(found);
      setBeyond(meant);
      setAt(meant !== undefined ? -1 : ([aimed, same].find(index => index >= 0) ?? found.length - 1));
    };
    const timer = setTimeout(search, GATHER);
    return () => clearTimeout(timer);
  }, [words, rows, finding.value]);
  useEffect(() => {
    if (beyond !== undefined) list.current?.toRow(beyond.key);
  }, [beyond?.key]);
  useEffect(() => {
    const log = document.querySelector('.log');
    if (log === null) return;
    const mark = (): unknown => CSS.highlights.set('find', new Highlight(...ranges(log, words)));
    const observer = new MutationObserver(mark);
    observer.observe(log, { childList: true, subtree: true });
    mark();
    if (match !== undefined) void show(match, words);
    return () => {
      observer.disconnect();
      CSS.highlights.clear();
    };
  }, [match?.key, words, asked]);

  const letGo = (): void => {
    aim.current = undefined;
    setBeyond(undefined);
  };
  const go = (step: number): void => {
    letGo();
    ask(undefined);
    setAt((Math.max(at, step < 0 ? 0 : -1) + step + matches.length) % Math.max(1, matches.length));
  };
  const close = (): void => {
    finding.value = undefined;
    // Where one came from may not be drawn any more.
    const isThere = came.current?.isConnected === true && came.current !== document.body;
    if (isThere && came.current instanceof HTMLElement) came.current.focus();
    else list.current?.focus();
  };
  const count =
    matches.length === 0 ? l10n.t('No results') : l10n.t('{0} of {1}', at + 1 || '?', matches.length);
  const isHidden = beyond !== undefined && partsOfRow(beyond).some(part => 'cut' in part);
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
        value={typed}
        onInput={event => {
          letGo();
          setTyped(event.currentTarget.value);
        }}
      />
      <output>
        {words !== '' && (isHidden ? l10n.t('In the part of this message that is not shown here') : count)}
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
    if (around !== block) text += '\0';
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
async function show(row: Row, words: string): Promise<void> {
  for (const [index, part] of partsOfRow(row).entries())
    if (hasWords(partText(part), words)) toggle(`${row.key}:${index}`, true);
  list.current?.toRow(row.key);
  await new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  const drawn = list.current?.element(row.key);
  const first = drawn && ranges(drawn, words)[0];
  first?.startContainer.parentElement?.scrollIntoView({ block: 'nearest' });
}
