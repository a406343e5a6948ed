import { type SampleService } from '../../fakes/sampleService';
import { type Workbench } from '../workbench';

/** The sessions that the sample service has from the start, opened by their ids; each one's chat opens with it. */
export async function addSessions(workbench: Workbench, service: SampleService): Promise<void> {
  await workbench.openContainer('Agent Console');
  for (const [index, id] of service.sessionIds.entries()) {
    await workbench.openSession(id);
    await workbench.tab(/./).nth(index).waitFor();
    // The page takes the focus when it is there, which would close the next input box.
    await workbench.webview().locator(':focus').waitFor();
  }
  await workbench
    .rows('Sessions')
    .nth(service.sessionIds.length - 1)
    .waitFor();
}
