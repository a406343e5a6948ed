import { keepScroll, vscode } from '../kit/boot';
import type { PageState, ReportProtocol } from '../../src/readiness/protocol';
import { pageSide } from '../../src/webview/ipc';
import './main.css';

/** The panel draws everything; here is what a person does with it. */
const main = document.createElement('main');
document.getElementById('root')?.append(main);
/** What is shown, and how; kept while the page is hidden and over a reload. */
let state = vscode.getState() as PageState | undefined;

const panel = pageSide<ReportProtocol>(
  {
    draw: ({ parts, state: now, isWanted }) => {
      const isFirst = main.childElementCount === 0;
      const isOther = state?.reportId !== now.reportId || state.baseId !== now.baseId;
      const { filter = 'all', words = '', scroll = 0 } = (!isWanted && state?.look) || {};
      const focused = document.activeElement as HTMLElement;
      for (const [id, html] of Object.entries(parts)) partOf(id).innerHTML = html;
      const [select, input] = tools();
      if (select && input && ('tools' in parts || isWanted)) [select.value, input.value] = [filter, words];
      // Something else is read from its beginning.
      const look = { filter, words, scroll: isOther ? 0 : scroll };
      vscode.setState((state = { ...now, look }));
      narrow();
      if (isFirst) keepScroll(look.scroll, keep);
      if (isWanted) {
        const row = main.querySelector<HTMLElement>('tr.wanted');
        row?.scrollIntoView({ block: 'center' });
        row?.focus({ preventScroll: true });
      } else if (!isFirst && isOther) {
        main.querySelector('h1')?.focus();
      } else if (!focused.isConnected) {
        const drawn = [...main.querySelectorAll<HTMLElement>('h1, tr.wanted, button')];
        const isSame = ({ localName, dataset }: HTMLElement): boolean =>
          localName === focused.localName && dataset.act === focused.dataset.act;
        drawn.find(isSame)?.focus({ preventScroll: true });
      }
    },
  },
  message => vscode.postMessage(message),
);

function partOf(id: string): HTMLElement {
  const part = document.getElementById(id) ?? main.appendChild(document.createElement('section'));
  part.id = id;
  return part;
}

function tools() {
  return [main.querySelector('select'), main.querySelector('input')] as const;
}

/** Keeps how the person looks at the page. */
function keep(scroll = state?.look?.scroll ?? 0): void {
  const [select, input] = tools();
  if (state === undefined || select === null || input === null) return;
  const filter = select.value as NonNullable<PageState['look']>['filter'];
  vscode.setState((state = { ...state, look: { filter, words: input.value, scroll } }));
}

/** Shows the criteria that are wanted. */
function narrow(): void {
  const { filter = 'all', words = '' } = state?.look ?? {};
  const typed = words.trim().toLowerCase();
  const rows = [...main.querySelectorAll<HTMLElement>('#criteria tbody tr')];
  for (const row of rows) {
    const { is = '', words: searched = '' } = row.dataset;
    row.hidden = !is.split(' ').includes(filter) || !searched.includes(typed);
  }
  document.getElementById('none')?.toggleAttribute(
    'hidden',
    rows.some(row => !row.hidden),
  );
}

main.addEventListener('input', () => {
  keep();
  narrow();
});
main.addEventListener('click', ({ target }) => {
  const act = (target as HTMLElement).closest<HTMLElement>('[data-act]')?.dataset.act;
  if (act !== undefined) panel.notify(...(JSON.parse(act) as Parameters<typeof panel.notify>));
});
window.addEventListener('message', event => panel.receive(event.data));
panel.notify('ready', {});
