import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { startSampleService, type SampleService } from '../fakes/sampleService';
import { again } from '../until';
import { makeSampleWorkspace } from '../vscode/sampleWorkspace';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { signedInTo, Workbench } from './workbench';

/** Usage in the status bar: nobody has opened anything of ours. */
describe('usage in the status bar', () => {
  let service: SampleService;
  let folder: string;
  let workbench: Workbench;

  const open = async (apiKey: string, settings: Record<string, unknown> = {}): Promise<void> => {
    workbench = await Workbench.open({ folder, settings, env: signedInTo({ ...service, apiKey }) });
  };
  const item = (): Locator =>
    workbench.page.locator('.statusbar-item[id="agent-console.agent-console.usage"]');
  const analytics = (): string[] =>
    service.requests.filter(({ path }) => path.includes('/analytics/')).map(({ path }) => path);

  /** On every day so many tokens were used; the sample's people rest on weekends. */
  const daily = (tokens: number): { dispose(): unknown } =>
    service.fail({
      kind: 'alter',
      match: { path: /\/analytics\/tokens$/ },
      alter: body => ({
        ...(body as object),
        data: (body as { data: object[] }).data.map(row => ({ ...row, billable_tokens: tokens })),
      }),
    });

  before(async () => {
    folder = temporaryFolder('usage');
    makeSampleWorkspace(folder);
    service = await startSampleService({ pace: 0 });
  });
  afterEach(async function () {
    await workbench.closeAfter(this.currentTest);
  });
  after(async () => {
    await service.close();
    removeFolder(folder);
  });

  it('shows the last 7 days with their trend, in one call', async () => {
    const earlier = daily(1_000);
    await open(service.apiKey);
    await item()
      .filter({ hasText: /\d.* [↑↓→]/ })
      .waitFor();
    assert.deepEqual(analytics(), ['/api/v1/analytics/tokens']);
    const tooltip = workbench.page.locator('.monaco-hover').filter({ hasText: 'Billable tokens' });
    await again(
      async limit => {
        await workbench.page.mouse.move(400, 300);
        await item().hover(limit);
      },
      limit => tooltip.getByText(/Month to date/).waitFor(limit),
    );
    assert.match(await tooltip.innerText(), /UTC[\s\S]*Last\s30\sdays[\s\S]*Data\sthrough/);
    earlier.dispose();
  });

  it('tells of a budget that has been reached, once, also as an earlier version stored it', async () => {
    daily(1_000);
    await open(service.apiKey, {
      'agentConsole.usage.budget': 1000,
      'agentConsole.usage.budgetPeriod': 'day',
    });
    const notice = await workbench.notified(/100% of your own budget of 1,000 a day is reached/);
    assert.match(await notice.innerText(), /UTC/);
    assert.equal(await workbench.notification(/your own budget/).count(), 1);
  });
});
