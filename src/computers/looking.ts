import { Disposable, type IDisposable } from '../util/disposable';
import type { Observable } from '../util/event';

/** A view as far as it matters here: whether a person can see it. */
export interface Visible {
  readonly visible: boolean;
  onDidChangeVisibility(listener: () => unknown): IDisposable;
}

/** Tells whether a person looks at one of the views, in a window with the focus: at once, and whenever that changes. */
export function followLooking(
  views: readonly Visible[],
  focused: Observable<boolean>,
  tell: (looking: boolean) => void,
): IDisposable {
  return new Looking(views, focused, tell);
}

class Looking extends Disposable {
  constructor(views: readonly Visible[], focused: Observable<boolean>, tell: (looking: boolean) => void) {
    super();
    const update = (): void => tell(focused.current && views.some(({ visible }) => visible));
    for (const view of views) this.register(view.onDidChangeVisibility(update));
    this.register(focused.onDidChange(update));
    update();
  }
}
