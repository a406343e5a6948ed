import { execFileSync } from 'node:child_process';
import * as path from 'node:path';
import { house } from '../house';
import { ensureVsCode } from '../vscode/install';
import { root, temporaryFolder } from '../vscode/paths';
import { runProgram } from '../vscode/processes';
import { activationRows } from './activation';
import { clientRows, redactionRows, sendingRows, usageRows } from './api';
import { changesRows } from './changes';
import { atMost, factor, type Row } from './rows';
import { interfaceRows, sizeRows } from './sizes';
import { storeRows } from './store';
import { transcriptRows } from './transcript';
import { enterRows, manyRows, panelRows, viewRows, windowRows } from './windows';

/** `npm run bench [-- PART…]`: one row a target, `what | figure | target | holds or falls short`. It informs and never fails. */
async function main(): Promise<undefined> {
  const { version } = await ensureVsCode();
  console.log(`VS Code ${version} (server, headless browser), Node ${process.version}`);
  console.log(
    `Machine factor ${factor.toFixed(2)}: targets in ms are that many times what they are on the machine they were set on.\n`,
  );
  const parts: Readonly<Record<string, () => Row[] | Promise<Row[]>>> = {
    house: () => house().map(row => atMost(...row, String)),
    sizes: () => sizeRows(production()),
    activation: activationRows,
    interface: interfaceRows,
    client: clientRows,
    store: storeRows,
    redaction: redactionRows,
    usage: usageRows,
    sending: sendingRows,
    transcript: () => transcriptRows(production()),
    changes: changesRows,
    windows: () => windowRows(viewRows, manyRows, panelRows),
    enter: () => windowRows(enterRows),
  };
  const rows: Row[] = [];
  for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts)) {
    try {
      rows.push(...((await parts[name]?.()) ?? []));
    } catch (error) {
      console.log(`${name} is not measured: ${String(error)}`);
    }
  }
  console.log(`\n${rows.join('\n')}`);
}

/** Builds as for people; returns the folder. */
function production(): string {
  const dist = path.join(temporaryFolder('sizes'), 'dist');
  execFileSync(process.execPath, ['esbuild.js', '--production', '--dist', dist], { cwd: root });
  return dist;
}

runProgram(main);
