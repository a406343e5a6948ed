import * as core from 'virtua/unstable_core';

/**
 * The part of virtua's core this page uses. The core ships without types for its internals, so they are written down here;
 * its version is pinned.
 */
export interface ListStore {
  $dispose(): void;
  $getStateVersion(): number;
  /** First and last index to render. */
  $getRange(bufferPixels?: number): readonly [number, number];
  $getItemOffset(index: number): number;
  $getScrollOffset(): number;
  $isScrolling(): boolean;
  $getViewportSize(): number;
  $getTotalSize(): number;
  $subscribe(what: number, listener: () => void): () => void;
  $update(action: number, value: number, shift?: boolean): void;
}

export interface ListLayout {
  $findIndex(offset: number): number;
  /** True while the item has no measured size. */
  $isSizeEqual(index: number): boolean;
}

export interface ListDriver {
  $observe(container: HTMLElement, viewport?: HTMLElement): void;
  $dispose(): void;
  $observeItem(element: HTMLElement, index: number): () => void;
  $scroll(index: number | undefined, options?: { align?: 'start' | 'end'; offset?: number }): Promise<void>;
  $effect(): void;
}

interface Core {
  readonly ACTION_ITEMS_LENGTH_CHANGE: number;
  readonly UPDATE_VIRTUAL_STATE: number;
  readonly UPDATE_SIZE_EVENT: number;
  readonly UPDATE_SCROLL_EVENT: number;
  readonly UPDATE_SCROLL_END_EVENT: number;
  createListLayout(length: number, itemSize?: number): ListLayout;
  createVirtualStore(layout: ListLayout): ListStore;
  createContainerDriver(store: ListStore, layout: ListLayout, horizontal: boolean): ListDriver;
}

const virtua = core as unknown as Core;

export interface ListEvents {
  onState(): void;
  onScroll(): void;
  onScrollEnd(): void;
  /** Sizes of rows or of the viewport changed. */
  onResize(): void;
}

/** A vertical list of which only what is near the viewport exists. */
export class Virtualizer {
  readonly store: ListStore;
  readonly layout: ListLayout;
  readonly driver: ListDriver;

  constructor(events: ListEvents) {
    this.layout = virtua.createListLayout(0);
    this.store = virtua.createVirtualStore(this.layout);
    this.driver = virtua.createContainerDriver(this.store, this.layout, false);
    this.store.$subscribe(virtua.UPDATE_VIRTUAL_STATE, () => events.onState());
    this.store.$subscribe(virtua.UPDATE_SCROLL_EVENT, () => events.onScroll());
    this.store.$subscribe(virtua.UPDATE_SCROLL_END_EVENT, () => events.onScrollEnd());
    this.store.$subscribe(virtua.UPDATE_SIZE_EVENT, () => events.onResize());
  }

  /** `fromStart`: rows came or went before the viewport, so the position is kept from the end. */
  setLength(length: number, fromStart: boolean): void {
    this.store.$update(virtua.ACTION_ITEMS_LENGTH_CHANGE, length, fromStart);
  }

  dispose(): void {
    this.store.$dispose();
    this.driver.$dispose();
  }
}
