import './base.css';

/** What every page begins with: the first import of each, so that it is there before anything else of it runs. */

interface VsCode {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VsCode;

/** A page can ask for it once. */
export const vscode = acquireVsCodeApi();

type Act = 'broken' | 'problem' | 'reload' | 'log';

function tell(act: Act, words?: string): void {
  vscode.postMessage({ kind: 'page', act, ...(words === undefined ? {} : { words }) });
}

function wordsOf(error: unknown): string {
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 300);
}

/** Says what went wrong in place of the page, or above what there is of it, and tells the log. */
function showBroken(error: unknown): void {
  const words = wordsOf(error);
  tell('broken', words);
  const root = document.getElementById('root');
  if (root === null || document.querySelector('.broken') !== null) return;
  const { broken = '{0}', reload = '', log = '' } = root.dataset;
  const block = document.createElement('div');
  block.className = 'broken';
  block.setAttribute('role', 'alert');
  const text = block.appendChild(document.createElement('p'));
  text.textContent = broken.replace('{0}', () => words);
  for (const [label, act] of [
    [reload, 'reload'],
    [log, 'log'],
  ] as const) {
    const button = block.appendChild(document.createElement('button'));
    button.type = 'button';
    button.className = 'primary';
    button.textContent = label;
    button.addEventListener('click', () => tell(act));
  }
  root.before(block);
}

window.addEventListener('error', event => {
  // Says only that sizes are looked at again in the next frame.
  if (!event.message.startsWith('ResizeObserver loop')) showBroken(event.error ?? event.message);
});
window.addEventListener('unhandledrejection', ({ reason }) => {
  // What the panel refused is no fault of the page.
  if (reason instanceof Error && reason.name === 'RefusedByPanel') tell('problem', wordsOf(reason));
  else showBroken(reason);
});

/** So long without scrolling the page is at rest, ms. */
const RESTS = 50;

/**
 * Takes the page to where it stood, as soon as that much of it is drawn, and tells `keep` where it comes to rest. A person who acts
 * before has the say.
 */
export function keepScroll(wanted: number, keep: (top: number) => void): void {
  const drawn = new ResizeObserver(() => {
    window.scrollTo(0, wanted);
    if (window.scrollY >= wanted - 1) drawn.disconnect();
  });
  if (wanted > 0) drawn.observe(document.body);
  for (const act of ['wheel', 'keydown', 'pointerdown'])
    window.addEventListener(act, () => drawn.disconnect());
  let timer: number | undefined;
  const rest = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => keep(Math.max(0, window.scrollY)), RESTS);
  };
  window.addEventListener('scroll', rest, { passive: true });
}
