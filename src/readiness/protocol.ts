import { act, event, listOf, number, object, oneOf, optional, text, type Guarded } from '../webview/ipc';

const id = text(1_000);

/** How a person looks at the page, which alone knows: what narrows the criteria down, and pixels from its top. */
const isLook = object({
  filter: oneOf('all', 'failing', 'changed'),
  words: text(1_000),
  scroll: number(0, 1e9),
});

/** Which report is shown, and how. The page keeps it over a reload. */
export const isPageState = object({
  key: text(4_000),
  reportId: id,
  baseId: optional(id),
  look: optional(isLook),
});
export type PageState = Guarded<typeof isPageState>;

export const reportProtocol = {
  requests: {
    /** The page listens. Sent again each time it was built anew. */
    ready: act(object({})),
    /** Compared with the previous report of the same branch. */
    show: act(object({ reportId: id })),
    compare: act(object({ reportId: id })),
    fix: act(object({ criteria: listOf(text(2_000), 10_000) })),
    export: act(object({})),
  },
  events: {
    /** What of the page says something else now: HTML by the ids of its parts. `isWanted`: a row is to be brought into view. */
    draw: event<{
      readonly parts: Readonly<Record<string, string>>;
      readonly state: PageState;
      readonly isWanted: boolean;
    }>(),
  },
};

export type ReportProtocol = typeof reportProtocol;
