import type { AccessRow } from './access';

/** One question of several that belong together. */
export interface Step {
  readonly title: string;
  /** From 1. */
  readonly step: number;
  readonly totalSteps: number;
  readonly prompt: string;
  readonly placeholder?: string;
  readonly value: string;
  /** Shown as dots. */
  readonly secret: boolean;
  /** What was wrong with this value the last time. */
  readonly problem?: string | undefined;
  /** A page that helps to answer. */
  readonly link?: { readonly tooltip: string; readonly address: string };
  /** A sentence while the value cannot be used, `undefined` when it can. */
  readonly validate: (value: string) => string | undefined;
}

export type StepAnswer =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'back' }
  | { readonly kind: 'cancelled' };

/** Everything the connection asks of a person and tells them. Texts are safe to show as they are. */
export interface Prompts {
  ask(step: Step): Promise<StepAnswer>;
  /** Shows that something is under way; the signal aborts when the person cancels. */
  progress<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** A notification; resolves to the button that was pressed. */
  tell(
    severity: 'info' | 'warning' | 'error',
    message: string,
    ...buttons: readonly string[]
  ): Promise<string | undefined>;
  /** A question that must be answered before anything else. */
  confirm(message: string, detail: string, button: string): Promise<boolean>;
  /** Shows rows as `read` hands them over, and reads again on demand; resolves when closed. */
  showAccess(
    title: string,
    read: (signal: AbortSignal, onRows: (rows: readonly AccessRow[]) => void) => Promise<void>,
  ): Promise<void>;
  openExternal(address: string): Promise<void>;
}
