import { signal } from '@preact/signals';
import {
  reportProtocol,
  type CommitsView,
  type ReportProtocol,
  type ReportView,
} from '../../src/readiness/protocol';
import { pageSide, type PageSide } from '../../src/webview/ipc';

interface VsCode {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VsCode;

const vscode = acquireVsCodeApi();

type Strings = Parameters<Parameters<typeof pageSide<ReportProtocol>>[1]['start']>[0]['strings'];

/** What the panel said last; everything shown is made from these. */
export const strings = signal<Strings | undefined>(undefined);
export const report = signal<ReportView | undefined>(undefined);
export const commits = signal<CommitsView | undefined>(undefined);
/** The person chose what the report is compared with. */
export const chosen = signal(false);
export const missing = signal<string | undefined>(undefined);

/** The panel this page belongs to. */
export const panel: PageSide<ReportProtocol> = pageSide(
  reportProtocol,
  {
    start: payload => (strings.value = payload.strings),
    report: ({ view, state }) => {
      vscode.setState(state);
      missing.value = undefined;
      const before = report.value;
      if (before?.reportId !== view.reportId || before.baseId !== view.baseId) commits.value = undefined;
      chosen.value = state.baseId !== undefined;
      report.value = view;
      void panel.request('commits', {}).then(
        found => {
          if (report.value === view) commits.value = found;
        },
        (error: unknown) => fail(error),
      );
    },
    missing: ({ sentence }) => {
      missing.value = sentence;
      report.value = undefined;
    },
  },
  message => vscode.postMessage(message),
);

/** Fills `{0}`, `{1}` of a text of the panel. */
export function fill(text: string, ...values: readonly (string | number)[]): string {
  return text.replace(/\{(\d)\}/g, (whole, index: string) => String(values[Number(index)] ?? whole));
}

/** Begins to listen and says so. */
export function connect(): void {
  window.addEventListener('message', event => panel.receive(event.data));
  window.addEventListener('error', event => fail(event.error ?? event.message));
  window.addEventListener('unhandledrejection', event => fail(event.reason));
  panel.notify('ready', {});
}

function fail(error: unknown): void {
  const name = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  panel.notify('failed', { name: name.slice(0, 200) });
}
