import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import type { SampleService } from '../fakes/sampleService';
import { onStage } from './stage';
import { clickFor } from './waiting';
import { saveAs } from './window';
import type { Workbench } from './workbench';

const VIEW = 'Organization';

/** A member whose name must stay text. */
const MALLORY = { firstName: 'Mallory \u202egnp.exe', lastName: '$(alert) [open](command:none)' };

/** Who can do what, what changed, who changed it: users and control history as an administrator reads them. */
describe('organization', () => {
  let service: SampleService;
  let folder: string;
  let workbench: Workbench;

  const users = (): ReturnType<Workbench['row']> => workbench.row(VIEW, /^Users/);
  /** Gives the view the height it needs, without the rows of users. */
  const showOnly = async (): Promise<void> => {
    await workbench.showOnly(VIEW);
    await workbench.turn(VIEW, /^Users/, false);
    await workbench.row(VIEW, 'Control history').waitFor();
  };
  const run = (title: string): Promise<void> => workbench.runCommand(`Agent Console: ${title}`);
  const diffText = (): Promise<string> =>
    workbench.page.locator('.diff-editor, .editor-instance').first().innerText();

  onStage(
    stage => ({ service, folder, workbench } = stage),
    { service: { pace: 0.02 } },
    prepared => {
      // The history as it was when it had 45 revisions: the sample's grows by one a week.
      prepared.service.fail({
        kind: 'alter',
        match: { path: /\/enterprise-controls\/history$/ },
        alter: body => {
          const answer = body as { readonly changes: readonly { readonly revision: number }[] };
          return { ...answer, changes: answer.changes.filter(({ revision }) => revision <= 45) };
        },
      });
      prepared.service.fail({
        kind: 'alter',
        match: { path: /\/organization\/users$/ },
        alter: body => {
          const { users, pagination } = body as { users: object[]; pagination: { hasMore: boolean } };
          if (!pagination.hasMore) users.splice(-1, 1, { ...users.at(-1), ...MALLORY });
          return body;
        },
      });
    },
  );

  it('lists users page by page, finds one and exports', async () => {
    await showOnly();
    await users().filter({ hasText: '128' }).waitFor();
    const usageAsked = (): number =>
      service.requests.filter(({ path: asked }) => asked.startsWith('/api/v1/analytics/users')).length;
    assert.equal(usageAsked(), 0, 'nobody looks at people yet');
    await workbench.turn(VIEW, /^Users/, true);
    await workbench.row(VIEW, /^Amara/).waitFor();
    await workbench.row(VIEW, / tokens/).waitFor();
    assert.ok(usageAsked() > 0);
    assert.match(
      (await workbench.row(VIEW, /^Amara/).getAttribute('aria-label')) ?? '',
      /^User Amara.*@acme\.example/,
    );
    await run('Show user details');
    await workbench.quickInput.getByPlaceholder(/Find a user/).fill('mallory');
    await workbench.pick('mallory');
    await workbench.tab(/Mallory/).waitFor();
    const details = workbench.page.locator('.editor-group-container .view-line', { hasText: 'Mallory' });
    await details.first().waitFor();
    assert.ok(!(await details.first().innerText()).includes('\u202e'));
    await workbench.contextMenu(users(), 'Export users or control history as CSV');
    const file = path.join(folder, 'organization-users.csv');
    assert.equal(await saveAs(workbench, path.basename(file)), file);
    await workbench.notified('The table was exported');
    const [header, row, ...rest] = readFileSync(file, 'utf8').split('\r\n');
    assert.match(header ?? '', /^id,email,first_name/);
    assert.match(row ?? '', /^user_[0-9a-f]+,\S+@acme\.example,/);
    assert.equal(rest.length, 128);
  });

  it('shows what each revision changed, as rows and as a diff, and no secret anywhere', async () => {
    await showOnly();
    await workbench.row(VIEW, 'rev 45').waitFor();
    await workbench.turn(VIEW, 'rev 45', true);
    await workbench.row(VIEW, 'maxAutonomyLevel: high → medium').filter({ hasText: 'tightens' }).waitFor();
    await workbench.row(VIEW, 'sandbox.filesystem.denyRead: +**/secrets/**').waitFor();
    await workbench.row(VIEW, 'ideAutoConnect: true → not set').waitFor();
    await clickFor(workbench.row(VIEW, 'rev 45'), workbench.tab(/revision 44 ↔ 45/));
    await workbench.page.locator('.monaco-diff-editor').getByText('maxAutonomyLevel').first().waitFor();

    await run('Show changes of a control revision…');
    await workbench.quickInput
      .getByPlaceholder(/changes of which revision/)
      .fill('customModels[house-0].apiKey');
    await workbench.pick(/^rev 32/);
    await workbench.tab(/revision 31 ↔ 32/).waitFor();
    await workbench.page.locator('.monaco-diff-editor').getByText('redacted').first().waitFor();
    assert.ok(!(await diffText()).includes('sample-secret'));

    await workbench.contextMenu(workbench.row(VIEW, 'rev 45'), 'Compare control revisions…');
    await workbench.quickInput.getByPlaceholder(/revision 45 with which one/).fill('rev 30');
    await workbench.pick(/^rev 30/);
    await workbench.tab(/revision 30 ↔ 45/).waitFor();
    await workbench.contextMenu(workbench.row(VIEW, 'rev 45'), 'Show controls of a revision');
    await workbench.tab('revision-45.jsonc').waitFor();
    await workbench.page.locator('.editor-instance').getByText('byomComputersEnabled').first().waitFor();
    const everything = await workbench.page.locator('body').innerText();
    assert.ok(!everything.includes('sample-secret'));
    assert.ok(!workbench.server.logs().includes('sample-secret'));
  });

  it('a session that the controls forbid is made only after a question that says so', async () => {
    await showOnly();
    const created = (): unknown[] =>
      service.requests
        .filter(({ method, path: asked }) => method === 'POST' && /\/sessions$/.test(asked))
        .map(({ body }) => body);
    const choose = async (): Promise<void> => {
      await run('New session');
      await workbench.pick('atlas');
      await workbench.pick('Autonomy level');
      await workbench.pick(/^high/);
      await workbench.pick(/Create session.*autonomy high/);
    };
    const question = workbench.page.getByRole('dialog').filter({
      hasText: /allow autonomy up to medium, and high is above that \(maxAutonomyLevel, as of revision \d+\)/,
    });
    await choose();
    await question.waitFor();
    assert.deepEqual(created(), [], 'nothing before the answer');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    assert.deepEqual(created(), [], 'nothing after a no');
    await choose();
    await question.getByRole('button', { name: 'Create anyway' }).click();
    await workbench.webview().getByRole('textbox').first().waitFor();
    assert.equal(created().length, 1);
    assert.deepEqual((created()[0] as { sessionSettings: unknown }).sessionSettings, {
      autonomyLevel: 'high',
    });
  });
});
