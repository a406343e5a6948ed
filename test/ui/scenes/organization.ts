import { type Workbench } from '../workbench';
import { type Scene } from './scene';

export const organizationScenes: readonly Scene[] = [
  {
    name: 'organization',
    async play({ workbench }) {
      await showOrganization(workbench);
      const twistie = (text: RegExp) => workbench.row('Organization', text).locator('.monaco-tl-twistie');
      await twistie(/^rev \d/).click();
      await workbench.row('Organization', /^maxAutonomyLevel: /).waitFor();
      await workbench.row('Organization', /^rev \d/).click();
      await workbench.page.locator('.monaco-diff-editor').getByText('maxAutonomyLevel').first().waitFor();
      return undefined;
    },
  },
  {
    name: 'organization-users',
    async play({ workbench }) {
      await showOrganization(workbench);
      await workbench
        .row('Organization', /^Users/)
        .locator('.monaco-tl-twistie')
        .click();
      await workbench.row('Organization', /^Amara/).waitFor();
      await workbench.runCommand('Agent Console: Show user details');
      await workbench.quickInput.locator('.monaco-list-row').nth(5).waitFor();
      return undefined;
    },
  },
  {
    name: 'organization-forbidden',
    async play({ workbench, service }) {
      service.fail({ kind: 'status', status: 403, match: { path: /\/organization\// } });
      await workbench.showOnly('Organization');
      await workbench
        .view('Organization')
        .getByText(/has no access to this/)
        .waitFor();
      return undefined;
    },
  },
];

/** Opens the view of the organization with all the height there is. */
async function showOrganization(workbench: Workbench): Promise<void> {
  await workbench.showOnly('Organization');
  await workbench.row('Organization', 'Control history').waitFor();
}
