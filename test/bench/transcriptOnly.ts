import { transcriptRows } from './transcript';
import { print } from './rows';
import { endAll } from '../vscode/processes';
transcriptRows('/tmp/tr-dist').then(
  r => {
    print(r);
    return endAll(0);
  },
  (e: unknown) => {
    console.log(e);
    return endAll(0);
  },
);
