import * as fs from 'node:fs';
import * as path from 'node:path';
import { type SampleService } from '../../fakes/sampleService';
import { FOLLOWING_HOOKS, installHooks } from '../seed';
import { type Workbench } from '../workbench';
import { addSessions } from './sampleSessions';
import { type Scene } from './scene';

export const hookScenes: readonly Scene[] = [
  {
    name: 'hooks-attention',
    settings: FOLLOWING_HOOKS,
    async play({ workbench, service }) {
      await addSessions(workbench, service);
      await installHooks(workbench);
      putHookEvents(workbench, service);
      const waiting = workbench.page.locator('.statusbar-item[id$="agentConsole.attention"]');
      await waiting.getByLabel('2 agents are waiting').waitFor();
      await waiting.click();
      await workbench.quickInput.getByText('May I push').waitFor();
      return undefined;
    },
  },
  {
    name: 'hooks-install',
    async play({ workbench }) {
      await workbench.openContainer('Agent Console');
      await workbench.row('Computers', 'atlas').waitFor();
      const file = path.join(workbench.server.userDataFolder, 'settings.json');
      fs.writeFileSync(
        file,
        '{\n  // The model of every session\n  "model": "atlas-large",\n  "theme": "auto"\n}\n',
      );
      await workbench.runCommand('Agent Console: Install hooks…');
      await workbench.quickInput.getByText('Path of the settings file').waitFor();
      await workbench.answer(file);
      await workbench.quickInput.getByText('A subagent has finished').waitFor();
      await workbench.page.keyboard.press('Enter');
      await workbench.page
        .locator('.monaco-diff-editor')
        .getByText('agent-console-hook.sh')
        .first()
        .waitFor();
      return undefined;
    },
  },
  {
    name: 'hooks-check',
    settings: FOLLOWING_HOOKS,
    async play({ workbench, service }) {
      await workbench.openContainer('Agent Console');
      await workbench.row('Computers', 'atlas').waitFor();
      await installHooks(workbench);
      putHookEvents(workbench, service);
      await workbench.runCommand('Agent Console: Check hooks');
      await workbench.quickInput.getByText('This window listens').waitFor();
      return undefined;
    },
  },
];

/** Events that the hook command has just written down, of sessions that are known, and earlier ones as windows have taken them. */
function putHookEvents(workbench: Workbench, service: SampleService): void {
  const hooks = path.join(
    workbench.server.userDataFolder,
    'User/globalStorage/agent-console.agent-console/hooks',
  );
  const [first, second] = service.sessionIds;
  const events = [
    {
      minutes: 0,
      hook_event_name: 'Notification',
      session_id: first,
      message: 'May I push this branch to origin?',
    },
    { minutes: 0, hook_event_name: 'Notification', session_id: second },
    { minutes: 12, hook_event_name: 'Stop', session_id: '7f3c9a52-5d1e-4c7e-9c1f-2d7a3f1f1f0a' },
    { minutes: 50, hook_event_name: 'SessionEnd', session_id: 'b1f7', reason: 'error' },
    {
      minutes: 90,
      hook_event_name: 'Stop',
      session_id: 'c2',
      cwd: `/home/someone/${'long-name-'.repeat(12)}`,
    },
  ];
  for (const [index, { minutes, ...event }] of events.entries()) {
    // What the sessions are known to have done was before that.
    const second = Math.ceil(Date.now() / 1000) - minutes * 60;
    const folder = path.join(hooks, 'spool');
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = path.join(folder, `${second}.scene${index}.json`);
    const temp = `${file}.tmp`;
    fs.writeFileSync(temp, JSON.stringify({ cwd: '/home/someone/shop', ...event }));
    fs.utimesSync(temp, second, second);
    fs.renameSync(temp, file);
  }
}
