import * as fs from 'node:fs';
import * as path from 'node:path';
import { type Frame } from 'playwright-core';
import { root } from '../vscode/paths';

const source = fs.readFileSync(path.join(root, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');

interface Results {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
  readonly passes: readonly unknown[];
}

/** What the page breaks of every rule axe-core has, or of some, one line an element; empty when all is well. */
export async function violations(frame: Frame, rules?: readonly string[]): Promise<string[]> {
  if (!(await frame.evaluate<boolean>(`typeof axe === 'object'`))) await frame.evaluate(source);
  const { violations: found, passes } = await frame.evaluate<Results>(
    `axe.run(document, ${JSON.stringify({
      resultTypes: ['violations', 'passes'],
      ...(rules && { runOnly: rules }),
    })})`,
  );
  if (passes.length === 0) throw new Error('axe-core has looked at nothing.');
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ html, failureSummary }) => `${id} (${help}): ${html.slice(0, 300)}\n  ${failureSummary ?? ''}`,
    ),
  );
}
