import { type Locator } from 'playwright-core';
import { type SampleService } from '../../src/sample';
import { type Workbench } from './workbench';

export interface Stage {
  readonly workbench: Workbench;
  readonly service: SampleService;
}

/** A named state to take pictures of. */
export interface Scene {
  readonly name: string;
  /** Signed in to the sample service by the environment; true unless told. */
  readonly signedIn?: boolean;
  /** How fast the sample service's agents and computers are; 0, at once, unless told. */
  readonly pace?: number;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly size?: { readonly width: number; readonly height: number };
  /** Brings the window into the state; returns the part to take, or nothing for the whole window. */
  play(stage: Stage): Promise<Locator | undefined>;
}

export const scenes: readonly Scene[] = [
  {
    name: 'signed-out',
    signedIn: false,
    async play({ workbench }) {
      await workbench.openContainer('Agent Console');
      await workbench.welcome('Sessions').getByRole('button').first().waitFor();
      return undefined;
    },
  },
  {
    name: 'trees',
    async play({ workbench, service }) {
      await addSessions(workbench, service);
      await workbench.row('Computers', 'atlas').waitFor();
      return undefined;
    },
  },
  {
    name: 'chat',
    async play({ workbench, service }) {
      await addSessions(workbench, service);
      const chat = workbench.webview();
      await chat.getByRole('textbox').fill('Why did the build job take longer yesterday?');
      await workbench.page.keyboard.press('Enter');
      await chat
        .getByRole('article', { name: /^Agent/ })
        .first()
        .waitFor();
      await service.settle();
      return undefined;
    },
  },
  {
    name: 'organization',
    async play({ workbench }) {
      await showOrganization(workbench);
      const twistie = (text: RegExp) => workbench.row('Organization', text).locator('.monaco-tl-twistie');
      await twistie(/^rev \d/).click();
      await workbench.row('Organization', /^maxAutonomyLevel: /).waitFor();
      await twistie(/^sandbox\.filesystem/).click();
      await workbench.row('Organization', /^\*\*\/secrets/).waitFor();
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
      await workbench.runCommand('Agent Console: Filter control history…');
      await workbench.pick('Setting…');
      await workbench.quickInput.locator('.monaco-list-row').nth(5).waitFor();
      return undefined;
    },
  },
  {
    name: 'organization-forbidden',
    async play({ workbench, service }) {
      service.fail({ kind: 'status', status: 403, match: { path: /\/organization\// } });
      await showOrganization(workbench);
      await workbench.row('Organization', 'Not readable').waitFor();
      return undefined;
    },
  },
  {
    name: 'usage-status',
    async play({ workbench }) {
      const item = workbench.page.locator('.statusbar-item[id="agent-console.agent-console.usage"]');
      await item.filter({ hasText: /\d/ }).waitFor();
      await item.hover();
      await workbench.page.locator('.monaco-hover').getByText(/Month/).waitFor();
      return undefined;
    },
  },
];

/** Opens the view of the organization with all the height there is. */
async function showOrganization(workbench: Workbench): Promise<void> {
  await workbench.openContainer('Agent Console');
  for (const view of ['Sessions', 'Computers']) await workbench.view(view).locator('.pane-header').click();
  await workbench.expandView('Organization');
  await workbench.row('Organization', 'Control history').waitFor();
}

/** The sessions that the sample service has from the start, opened by their ids; each one's chat opens with it. */
async function addSessions(workbench: Workbench, service: SampleService): Promise<void> {
  await workbench.openContainer('Agent Console');
  for (const [index, id] of service.sessionIds.entries()) {
    await workbench.runCommand('Agent Console: Open a session by its id');
    await workbench.answer(id);
    await workbench.tab(/./).nth(index).waitFor();
    // The page takes the focus when it is there, which would close the next input box.
    await workbench.webview().locator(':focus').waitFor();
  }
  await workbench
    .rows('Sessions')
    .nth(service.sessionIds.length - 1)
    .waitFor();
}
