import type { MarkdownOptions } from './markdown';

type Render = (text: string, options: MarkdownOptions) => DocumentFragment;
let render: Render | undefined;

/** Makes ready what rendering takes, which is most of this page's code: the panel is told that the page listens before that. */
export async function prepareMarkdown(): Promise<void> {
  ({ renderMarkdown: render } = await import('./markdown'));
}

/** Foreign Markdown as safe nodes, once it is ready; plain text before. */
export function rendered(text: string, options: MarkdownOptions): DocumentFragment {
  if (render !== undefined) return render(text, options);
  const fragment = document.createDocumentFragment();
  fragment.append(text);
  return fragment;
}
