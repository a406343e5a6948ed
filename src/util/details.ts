import type { Formatter } from './format';
import { plain } from './text';

/**
 * A value of the service as an outline that reads like YAML: every field, in the order it came, times also in words.
 * Foreign text; shown in read-only documents only.
 */
export function outline(value: unknown, format: Formatter): string {
  return `${lines(value, format, '').join('\n')}\n`;
}

function lines(value: unknown, format: Formatter, indent: string): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => {
      if (!isBranch(item)) return [`${indent}- ${scalar('', item, format)}`];
      const [first = '', ...rest] = lines(item, format, `${indent}  `);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }
  return Object.entries(value as Record<string, unknown>)
    .filter(([, item]) => item !== undefined)
    .flatMap(([key, item]) =>
      isBranch(item)
        ? [`${indent}${plain(key)}:`, ...lines(item, format, `${indent}  `)]
        : [`${indent}${plain(key)}: ${scalar(key, item, format)}`],
    );
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function scalar(key: string, value: unknown, format: Formatter): string {
  if (typeof value === 'number') {
    return /At$/.test(key) && value > 1e11 ? `${value} (${format.exact(value)})` : String(value);
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  const text = plain(value, 100_000);
  return /^[^\s"'#&*!|>%@`{}[\],?:-][^\n#"]*$/.test(text) && !/: |\s$/.test(text)
    ? text
    : JSON.stringify(text);
}
