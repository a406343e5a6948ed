import { useEffect } from 'preact/hooks';
import type { ChatStrings, GapRow } from '../../src/chat/protocol';
import { panel } from './page';
import { announcement, asked, start } from './state';

/** Said once, however often the row is drawn anew. */
let said = '';

/** An answer that the service does not show yet, and what can be done about it. */
export function Answered({ row, strings }: { readonly row: GapRow; readonly strings: ChatStrings }) {
  const { sentence, reason = '', webApp } = row;
  useEffect(() => {
    const now = `${start.value?.identity.sessionId ?? ''} ${sentence}`;
    if (said !== now) announcement.value = `${sentence} ${reason}`;
    said = now;
  }, [sentence]);
  return (
    <article class="message agent answered" aria-label={sentence}>
      <span class="codicon codicon-comment-unresolved" aria-hidden="true" />
      <div>
        <p class="answered-title">{sentence}</p>
        <p class="quiet">{reason}</p>
        <div class="actions">
          <button type="button" class="primary" title={strings.askForThemHint} onClick={() => asked.value++}>
            {strings.askForThem}
          </button>
          {webApp === true ? (
            <button type="button" class="secondary" onClick={() => panel.notify('openWebApp', {})}>
              {strings.openWebApp}
            </button>
          ) : null}
          <button type="button" class="link" onClick={() => panel.notify('explainGap', {})}>
            {strings.why}
          </button>
        </div>
      </div>
    </article>
  );
}
