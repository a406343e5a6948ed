import type { Readable } from 'node:stream';

/** Hands over each whole line: JSON may hold any other separator of lines. A longer one ends it with an error, UTF-16 units. */
export function lines(from: Readable, take: (line: string) => void, longest = Infinity): void {
  let rest: string[] = [];
  let length = 0;
  from.setEncoding('utf8').on('data', (text: string) => {
    const parts = text.split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      const line = [...rest, part].join('');
      [rest, length] = [[], 0];
      if (line.trim() !== '') take(line);
    }
    rest.push(last);
    length += last.length;
    if (length > longest) from.destroy(new Error('A line is too long.'));
  });
}
