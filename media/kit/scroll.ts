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
