import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Row } from '../../src/chat/protocol';
import type { Rows } from './state';
import { Virtualizer } from './virtualizer';

/** Pixels rendered beyond each edge of the viewport. */
const BUFFER = 400;
/** This near to the end counts as being there, px. */
const AT_END = 8;
/** A reader's movement goes on for so long after the wheel, the key or its last scrolling, ms. */
const READER_MS = 400;

/** A place is gone to so often before it is left as it is. */
const MOST_TRIES = 10;

/** The last row with what is below it. */
const END = { align: 'end', offset: 64 } as const;

export interface ListPosition {
  readonly key: string;
  /** Pixels from the top of that row to the top of the viewport. */
  readonly offset: number;
}

export interface ListHandle {
  toEnd(): void;
  /** Brings a row to the top; resolves when it is drawn there. */
  toRow(key: string): Promise<void>;
  /** The drawn row, if it is. */
  element(key: string): Element | undefined;
}

interface ListProps {
  readonly rows: Rows;
  readonly render: (row: Row) => ComponentChildren;
  readonly label: string;
  /** Where to begin; the end without it. */
  readonly initial: ListPosition | undefined;
  /** Rests at the end and follows it, or not. */
  readonly onFollowing: (following: boolean) => void;
  /** Rests somewhere; `undefined` at the end. */
  readonly onRest: (position: ListPosition | undefined) => void;
  readonly handle: (handle: ListHandle) => void;
}

/**
 * The rows of a transcript; only those near the viewport exist. Opens at the end, follows it while the reader is there, and
 * otherwise keeps what is read where it is, whatever arrives before or after.
 */
export function List(props: ListProps) {
  const { rows } = props.rows;
  const viewport = useRef<HTMLDivElement>(null);
  const container = useRef<HTMLDivElement>(null);
  const focusWithin = useRef(false);
  const ownFocus = useRef(false);
  const [, setVersion] = useState(0);
  const latest = useRef(props);
  latest.current = props;
  const [controller] = useState(
    () =>
      new ListController(
        () => latest.current,
        version => setVersion(version),
      ),
  );
  controller.setRows(props.rows);

  useLayoutEffect(() => {
    if (container.current !== null && viewport.current !== null) {
      controller.observe(container.current, viewport.current);
    }
    props.handle({
      toEnd: () => controller.toEnd(),
      toRow: key => controller.toRow(key),
      element: key =>
        container.current?.children[
          controller.indexOf(key) - Math.max(0, controller.virtualizer.store.$getRange(BUFFER)[0])
        ],
    });
    controller.tellFollowing();
    return () => controller.virtualizer.dispose();
  }, []);
  useLayoutEffect(() => {
    controller.virtualizer.driver.$effect();
    controller.shifted();
  });
  useLayoutEffect(() => controller.settle(), [rows]);
  useLayoutEffect(() => {
    // What had the focus is no longer drawn: the reader goes on from the list, not from the top of the page.
    if (!focusWithin.current || document.activeElement !== document.body) return;
    ownFocus.current = true;
    viewport.current?.focus({ preventScroll: true });
    ownFocus.current = false;
  });

  const { store, layout } = controller.virtualizer;
  const [first, last] = store.$getRange(BUFFER);
  const items = [];
  for (let index = first; index <= last; index++) {
    const row = rows[index];
    if (row === undefined) continue;
    items.push(
      <Item
        key={row.key}
        row={row}
        index={index}
        offset={store.$getItemOffset(index)}
        hidden={layout.$isSizeEqual(index)}
        virtualizer={controller.virtualizer}
        render={props.render}
      />,
    );
  }
  return (
    <div
      class="log"
      role="log"
      aria-live="off"
      aria-label={props.label}
      tabIndex={0}
      ref={viewport}
      onKeyDown={event => controller.keyDown(event)}
      onWheel={() => controller.readerMoves()}
      onTouchMove={() => controller.readerMoves()}
      onPointerDown={() => controller.readerMoves()}
      onFocusIn={() => {
        focusWithin.current = true;
        if (!ownFocus.current) controller.readerMoves();
      }}
      onFocusOut={({ target }) =>
        (focusWithin.current = target instanceof HTMLButtonElement && target.disabled)
      }
    >
      <div
        class={`rows${store.$isScrolling() ? ' scrolling' : ''}`}
        style={{ height: `${store.$getTotalSize()}px` }}
        ref={container}
      >
        {items}
      </div>
    </div>
  );
}

interface ItemProps {
  readonly row: Row;
  readonly index: number;
  readonly offset: number;
  readonly hidden: boolean;
  readonly virtualizer: Virtualizer;
  readonly render: (row: Row) => ComponentChildren;
}

function Item({ row, index, offset, hidden, virtualizer, render }: ItemProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(
    () => (element.current === null ? undefined : virtualizer.driver.$observeItem(element.current, index)),
    [index],
  );
  const content = useMemo(() => render(row), [row, render]);
  return (
    <div class="row" ref={element} style={{ top: `${offset}px`, visibility: hidden ? 'hidden' : 'visible' }}>
      {content}
    </div>
  );
}

/** Position of the list, apart from how it is drawn. */
class ListController {
  readonly virtualizer: Virtualizer;
  readonly #props: () => ListProps;
  #rows: Rows | undefined;
  #following: boolean;
  #restoring: ListPosition | undefined;
  #triesLeft = 0;
  #lastOffset = 0;
  #viewport: HTMLElement | undefined;
  /** How often rows came or got their heights, which moves what is seen either way, and how many of these have been drawn. */
  #shifts = 0;
  #drawnShifts = 0;
  #readerMovedAt = -READER_MS;

  constructor(props: () => ListProps, redraw: (version: number) => void) {
    this.#props = props;
    this.#restoring = props().initial;
    this.#following = this.#restoring === undefined;
    this.virtualizer = new Virtualizer({
      onState: () => redraw(this.virtualizer.store.$getStateVersion()),
      onScroll: () => this.#scrolled(),
      onScrollEnd: () => this.#rested(),
      onResize: () => {
        this.shifted();
        this.#follow();
      },
    });
  }

  observe(container: HTMLElement, viewport: HTMLElement): void {
    this.#viewport = viewport;
    this.virtualizer.driver.$observe(container, viewport);
  }

  /** Takes in other rows; called while drawing. */
  setRows(rows: Rows): void {
    if (this.#rows === rows) return;
    const before = this.#rows?.rows ?? [];
    this.#rows = rows;
    this.shifted();
    const { store, layout } = this.virtualizer;
    const firstSeen = layout.$findIndex(store.$getScrollOffset());
    const stays = this.#following || this.#restoring !== undefined || rows.from > firstSeen;
    const prepended = !stays && rows.from === 0 && rows.removed === 0;
    if (!stays && !prepended) this.#restoring = this.#anchor(before, firstSeen, rows.rows);
    this.virtualizer.setLength(rows.rows.length, prepended);
  }

  /** The first row seen that is there before and after a change, and where it stood. */
  #anchor(before: readonly Row[], firstSeen: number, after: readonly Row[]): ListPosition | undefined {
    const { store } = this.virtualizer;
    const keys = new Set(after.map(row => row.key));
    const index = before.findIndex((row, at) => at >= firstSeen && keys.has(row.key));
    const key = before[index]?.key;
    return key === undefined
      ? undefined
      : { key, offset: Math.round(store.$getScrollOffset() - store.$getItemOffset(index)) };
  }

  tellFollowing(): void {
    this.#props().onFollowing(this.#following);
  }

  /** After other rows were drawn: goes where the reader wants to be. */
  settle(): void {
    const at = this.#restoring;
    if (at === undefined) {
      this.#follow();
      return;
    }
    const index = this.indexOf(at.key);
    this.#triesLeft = MOST_TRIES;
    if (index >= 0) this.#goTo(index, at);
    else if (this.#rows?.total === this.#rows?.rows.length) this.toEnd();
  }

  #goTo(index: number, { offset }: ListPosition): void {
    this.shifted();
    void this.virtualizer.driver.$scroll(index, { align: 'start', offset }).then(() => {
      this.shifted();
      this.#lastOffset = this.virtualizer.store.$getScrollOffset();
    });
  }

  /**
   * Who was reading somewhere is there when all is drawn: a page may get its size, and rows their heights, after the place was
   * gone to. It is left to the reader once it is right and all rows are there.
   */
  #staysAtPlace(): void {
    const at = this.#restoring;
    const index = at === undefined ? -1 : this.indexOf(at.key);
    if (at === undefined || index < 0 || this.#isAway()) return;
    const { store } = this.virtualizer;
    const missing = store.$getItemOffset(index) + at.offset - store.$getScrollOffset();
    if (Math.abs(missing) > 1 && this.#triesLeft-- > 0) this.#goTo(index, at);
    else if (this.#rows?.total === this.#rows?.rows.length) {
      this.#restoring = undefined;
      this.#scrolled();
      this.#rested();
    }
  }

  toEnd(): void {
    this.#restoring = undefined;
    this.#setFollowing(true);
    this.#follow();
  }

  /** Where the row is now; rows may come in before it at any time. */
  indexOf(key: string): number {
    return this.#rows?.rows.findIndex(row => row.key === key) ?? -1;
  }

  async toRow(key: string): Promise<void> {
    for (let index = this.indexOf(key), gone = -1; index >= 0 && index !== gone; index = this.indexOf(key)) {
      this.#setFollowing(false);
      this.#restoring = undefined;
      await this.virtualizer.driver.$scroll(index, { align: 'start', offset: -48 });
      gone = index;
    }
  }

  keyDown(event: KeyboardEvent): void {
    this.readerMoves();
    if ((event.key !== 'End' && event.key !== 'Home') || event.target !== event.currentTarget) return;
    event.preventDefault();
    if (event.key === 'End') this.toEnd();
    else this.#toStart();
  }

  /** A browser's own way to the top stops where rows on the way turn out to be of another height than thought. */
  #toStart(): void {
    this.#setFollowing(false);
    this.#restoring = undefined;
    // Kept at once: the page may be put away before the list has come to rest.
    const [first] = this.#rows?.rows ?? [];
    if (first !== undefined) this.#props().onRest({ key: first.key, offset: 0 });
    void this.virtualizer.driver.$scroll(0, { align: 'start' });
  }

  #follow(): void {
    const length = this.#rows?.rows.length ?? 0;
    if (!this.#following || length === 0) return;
    const { driver, store } = this.virtualizer;
    this.shifted();
    void driver.$scroll(length - 1, END).then(() => {
      this.shifted();
      // Where the reader goes up from, also in a single step.
      this.#lastOffset = store.$getScrollOffset();
    });
  }

  /**
   * What is drawn has changed: until the browser has told of it, which it does before it draws the second frame from now, what is
   * seen is not moved by the reader. The time that takes is the machine's: it is counted in frames.
   */
  shifted(): void {
    const shift = ++this.#shifts;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        this.#drawnShifts = Math.max(this.#drawnShifts, shift);
        if (this.#drawnShifts < this.#shifts) return;
        this.#staysAtEnd();
        this.#staysAtPlace();
      }),
    );
  }

  /** Who follows the end is there when all is drawn, whatever moved meanwhile. */
  #staysAtEnd(): void {
    if (!this.#following || this.#isAway() || this.#fromEnd() <= AT_END) return;
    const length = this.#rows?.rows.length ?? 0;
    if (length > 0) void this.virtualizer.driver.$scroll(length - 1, END);
  }

  /** A page that is put away loses its height, and with it its place: that is nobody's doing. */
  #isAway(): boolean {
    return document.visibilityState === 'hidden' || this.virtualizer.store.$getViewportSize() === 0;
  }

  /** As the page is now, which the list may not have been told of yet; px. */
  #fromEnd(): number {
    const { scrollHeight = 0, clientHeight = 0, scrollTop = 0 } = this.#viewport ?? {};
    return scrollHeight - clientHeight - scrollTop;
  }

  /** The reader turns a wheel, drags, presses a key or moves the focus: what is seen now moves by their will. */
  readerMoves(): void {
    this.#restoring = undefined;
    this.#readerMovedAt = performance.now();
  }

  #scrolled(): void {
    if (this.#isAway() || this.#restoring !== undefined) return;
    const offset = this.virtualizer.store.$getScrollOffset();
    const now = performance.now();
    const byReader = now - this.#readerMovedAt < READER_MS;
    if (byReader) this.#readerMovedAt = now;
    const isDrawn = this.#drawnShifts === this.#shifts;
    if (this.#fromEnd() <= AT_END) this.#setFollowing(true);
    else if (offset < this.#lastOffset - 1 && (byReader || isDrawn)) this.#setFollowing(false);
    this.#lastOffset = offset;
  }

  #rested(): void {
    if (this.#isAway() || this.#restoring !== undefined) return;
    const { store, layout } = this.virtualizer;
    const offset = store.$getScrollOffset();
    const index = layout.$findIndex(offset);
    const row = this.#rows?.rows[index];
    const position =
      this.#following || row === undefined
        ? undefined
        : { key: row.key, offset: Math.round(offset - store.$getItemOffset(index)) };
    this.#props().onRest(position);
  }

  #setFollowing(following: boolean): void {
    if (this.#following === following) return;
    this.#following = following;
    this.#props().onFollowing(following);
  }
}
