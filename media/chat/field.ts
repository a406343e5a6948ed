/** The field a message is written in. */

const SIZES_ITSELF = CSS.supports('field-sizing', 'content');

/** As if it were typed where the cursor is. */
export function insert(field: HTMLTextAreaElement, text: string): void {
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

/** Makes it as high as its text, where the browser cannot. */
export function fit(field: HTMLTextAreaElement): void {
  if (SIZES_ITSELF) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight}px`;
}
