import { keepScroll, vscode } from '../kit/boot';
import type { PageState, ReportProtocol } from '../../src/readiness/protocol';
import { pageSide } from '../../src/webview/ipc';
import './main.css';

/** The panel draws everything; here is what a person does with it. */
const main = document.createElement('main');
document.getElementById('root')?.append(main);
let state: PageState | undefined;
let scroll = 0;

const panel = pageSide<ReportProtocol>(
  {
    draw: ({ parts, state: now, isWanted }) => {
      const before = state;
      const focused = document.activeElement as HTMLElement;
      for (const [id, html] of Object.entries(parts)) partOf(id).innerHTML = html;
      const { filter = 'all', words = '', scroll: top = 0 } = now.look ?? {};
      const [select, input] = tools();
      const isTold = 'tools' in parts || isWanted;
      if (select && input && isTold) [select.value, input.value] = [filter, words];
      // What was typed since is on its way.
      vscode.setState((state = isTold ? now : { ...now, look: before?.look }));
      if (before === undefined) keepScroll(isWanted ? 0 : top, keepAt);
      if (isWanted) {
        const row = main.querySelector<HTMLElement>('tr.wanted');
        row?.scrollIntoView({ block: 'center' });
        row?.focus({ preventScroll: true });
      } else if (before && (before.reportId !== now.reportId || before.baseId !== now.baseId)) {
        // Another report, or another comparison, is read from its beginning.
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

/** Tells how the person looks at the page, which stays so while it is hidden and over a reload. */
function keepAt(top = scroll): void {
  scroll = top;
  const [select, input] = tools();
  if (state === undefined || select === null || input === null) return;
  const filter = select.value as NonNullable<PageState['look']>['filter'];
  const look = { filter, words: input.value, scroll };
  vscode.setState((state = { ...state, look }));
  panel.notify('look', look);
}

main.addEventListener('input', () => keepAt());
main.addEventListener('click', ({ target }) => {
  const act = (target as HTMLElement).closest<HTMLElement>('[data-act]')?.dataset.act;
  if (act !== undefined) panel.notify(...(JSON.parse(act) as Parameters<typeof panel.notify>));
});
window.addEventListener('message', event => panel.receive(event.data));
panel.notify('ready', {});
