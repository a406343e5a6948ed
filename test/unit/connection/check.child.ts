/** Checks two addresses in a process of its own, whose environment names a proxy, and sends the result to its parent. */
import { silentLog } from '../../fakes/log';
import { checkService } from '../../../src/connection/check';
import { Clients } from '../../../src/connection/clients';
import { ConnectionRecords } from '../../../src/connection/records';
import { openStorage } from '../../fakes/storage';
import { temporaryFolder, cleanUp } from './support';

async function main([baseUrl = '', appUrl = '']: readonly string[]): Promise<void> {
  const log = silentLog();
  const records = new ConnectionRecords(openStorage({ root: temporaryFolder(), log }), log);
  const clients = new Clients(records, log, fetch);
  const result = await checkService(clients, { baseUrl, appUrl }, 'some-key', new AbortController().signal);
  await cleanUp();
  process.send?.(result, () => process.exit(0));
}

void main(process.argv.slice(2));
