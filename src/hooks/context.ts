import type { Logger } from '../log';
import type { Collection, Storage } from '../storage';
import type { DetailsDocuments } from '../util/detailsDocuments';
import type { IDisposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import type { WindowFocus } from '../util/windowFocus';
import type { Installation } from './install/installation';
import type { HookEvent, SessionsForHooks } from './model';
import type { NoticeSettings } from './notices';

export interface HooksDeps {
  readonly storage: Storage;
  /** The folder of this extension's own data, which updates leave alone. */
  readonly dataFolder: string;
  readonly extensionFolder: string;
  readonly log: Logger;
  readonly focused: Required<WindowFocus>;
  readonly format: Formatter;
  readonly details: Pick<DetailsDocuments, 'compare'>;
  /** Loads the sessions; asked for when the first event arrives. */
  readonly sessions: () => Promise<SessionsForHooks>;
  readonly settings: {
    hooksOutgoing(): unknown;
    readonly notifications: NoticeSettings;
  };
  readonly onDidChangeSettings: (listener: () => void) => IDisposable;
  /** Whether the chat of a session is shown in this window. */
  readonly isShown: (sessionId: string) => boolean;
}

/** What the parts of this feature share. */
export interface HooksContext extends HooksDeps {
  /** The events that some window has taken, the same for all windows. */
  readonly events: Collection<HookEvent>;
  readonly installation: Installation;
  readonly isListening: () => boolean;
}
