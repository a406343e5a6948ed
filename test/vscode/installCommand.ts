import { ensureVsCode } from './install';
import { endAll } from './processes';

/** `node scripts/ts.js test/vscode/installCommand.ts`: only the installation, as on a machine that is being prepared. */
ensureVsCode().then(
  installed => {
    console.log(`VS Code ${installed.version} with ${installed.browser.executable}`);
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    void endAll(1);
  },
);
