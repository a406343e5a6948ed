import { useEffect } from 'preact/hooks';
import type { ChatStrings, GapRow } from '../../../src/chat/protocol';
import { panel } from '../page';
import { announce, asked, start } from '../state';
import { Button, Icon } from '../controls';

/** Said once, however often the row is drawn anew. */
let said = '';

/** An answer that the service does not show yet, and what can be done about it. */
export function Answered({ row, strings }: { readonly row: GapRow; readonly strings: ChatStrings }) {
  const { sentence, reason = '', webApp } = row;
  useEffect(() => {
    const now = `${start.value?.identity.sessionId ?? ''} ${sentence}`;
    if (said !== now) announce(`${sentence} ${reason}`);
    said = now;
  }, [sentence]);
  return (
    <article class="message agent answered" aria-label={sentence}>
      <Icon name="comment-unresolved" />
      <div>
        <p class="answered-title">{sentence}</p>
        <p class="quiet">{reason}</p>
        <div class="actions">
          <Button kind="primary" title={strings.askForThemHint} onClick={() => asked.value++}>
            {strings.askForThem}
          </Button>
          {webApp === true ? (
            <Button kind="secondary" onClick={() => panel.notify('openWebApp', {})}>
              {strings.openWebApp}
            </Button>
          ) : null}
          <Button kind="link" onClick={() => panel.notify('explainGap', {})}>
            {strings.why}
          </Button>
        </div>
      </div>
    </article>
  );
}
