import { act, event } from '../webview/ipc';
import { listOf, number, object, oneOf, optional, text, type Guarded } from '../webview/guards';

/** How a criterion stands against an earlier report. */
export type Change = 'worse' | 'better' | 'same' | 'new' | 'gone';

/** A report as its page draws it: every text is ready to be shown, foreign ones made plain. */
export interface ReportView {
  readonly reportId: string;
  readonly baseId?: string | undefined;
  readonly title: string;
  readonly subtitle: string;
  readonly score: string;
  /** Against the base, such as `+4`. */
  readonly delta: string;
  /** The base in words; empty without one. */
  readonly base: string;
  /** Sentences on age and flags. */
  readonly notes: readonly string[];
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly criteria: readonly CriterionView[];
  readonly apps: readonly AppView[];
  /** Every report of the repository, the oldest first. */
  readonly trend: readonly TrendPoint[];
  /** The criterion to bring into view. */
  readonly focus?: string | undefined;
}

export interface CriterionView {
  readonly id: string;
  readonly name: string;
  readonly score: string;
  readonly percent: string;
  readonly passes: boolean;
  readonly before: string;
  readonly change?: Change | undefined;
  readonly changeText: string;
  readonly rationale: string;
}

export interface AppView {
  readonly path: string;
  readonly label: string;
  readonly description: string;
  /** Whether its folder can be shown in the Explorer. */
  readonly local: boolean;
}

export interface TrendPoint {
  readonly reportId: string;
  /** Unix ms. */
  readonly at: number | undefined;
  readonly day: string;
  readonly percent?: number | undefined;
  readonly score: string;
  readonly branch: string;
  readonly commit: string;
  /** Of the shown report's branch: part of the line. */
  readonly line: boolean;
}

/** Commits between the base and the shown report, or why they are not known. */
export interface CommitsView {
  readonly note: string;
  readonly commits: readonly {
    readonly hash: string;
    readonly subject: string;
    readonly author: string;
    readonly day: string;
  }[];
}

/** Which report is shown. */
export interface PageState {
  readonly key: string;
  readonly reportId: string;
  readonly baseId?: string | undefined;
}

const id = text(1_000);

/** How a person looks at the page: what narrows the criteria down, and pixels from its top. */
export type PageLook = Guarded<typeof isPageLook>;

const isPageLook = object({
  filter: oneOf('all', 'failing', 'changed'),
  words: text(1_000),
  scroll: number(0, 1e9),
});

/** What the page keeps while it is hidden, and over a reload. */
export const isPageState = object({
  key: text(4_000),
  reportId: id,
  baseId: optional(id),
  look: optional(isPageLook),
});

export const reportProtocol = {
  requests: {
    /** The page listens. Sent again each time it was built anew. */
    ready: act(object({})),
    show: act(object({ reportId: id })),
    /** Without an id: with the previous report of the same branch. */
    compare: act(object({ reportId: optional(id) })),
    fix: act(object({ criteria: listOf(text(2_000), 10_000) })),
    export: act(object({})),
    reveal: act(object({ path: text(10_000) })),
  },
  events: {
    /** The texts of the display language; none for English. */
    start: event<{ readonly texts: Readonly<Record<string, string>> | undefined }>(),
    report: event<{ readonly view: ReportView; readonly state: PageState }>(),
    /** Follows each report. */
    commits: event<CommitsView | undefined>(),
    /** There is nothing to show, and why. */
    missing: event<{ readonly sentence: string }>(),
  },
};

export type ReportProtocol = typeof reportProtocol;
