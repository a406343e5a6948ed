import { execFileSync } from 'node:child_process';
import * as path from 'node:path';
import { ensureVsCode } from '../vscode/install';
import { root, temporaryFolder } from '../vscode/paths';
import { runProgram } from '../vscode/processes';
import { activationRows, sizeRows } from './activation';
import { clientRows, interfaceRows, redactionRows } from './api';
import { changesRows } from './changes';
import { print, type Row } from './rows';
import { sendingRows } from './sending';
import { storeRows } from './store';
import { transcriptRows } from './transcript';
import { usageRows } from './usage';
import { enterRows, windowRows } from './windows';

/** `npm run bench [-- PART…]`: one row a target, `what | figure | target | holds or falls short`. It informs and never fails. */
async function main(): Promise<undefined> {
  const { version } = await ensureVsCode();
  console.log(`VS Code ${version} (server, headless browser), Node ${process.version}\n`);
  const parts: Readonly<Record<string, () => Row[] | Promise<Row[]>>> = {
    activation: activationRows,
    sizes: () => sizeRows(production()),
    interface: interfaceRows,
    client: clientRows,
    store: storeRows,
    redaction: redactionRows,
    usage: usageRows,
    sending: sendingRows,
    transcript: () => transcriptRows(production()),
    changes: changesRows,
    windows: () => windowRows(),
    enter: () => windowRows([enterRows]),
  };
  const rows: Row[] = [];
  for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts)) {
    try {
      rows.push(...((await parts[name]?.()) ?? []));
    } catch (error) {
      console.log(`${name} is not measured: ${String(error)}`);
    }
  }
  console.log('');
  print(rows);
}

/** Builds as for people; returns the folder. */
function production(): string {
  const dist = path.join(temporaryFolder('sizes'), 'dist');
  execFileSync(process.execPath, ['esbuild.js', '--production', '--dist', dist], { cwd: root });
  return dist;
}

runProgram(main);
