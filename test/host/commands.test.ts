import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { startSampleService } from '../fakes/sampleService';
import { commands } from '../../src/contributions';

interface Manifest {
  readonly contributes: {
    readonly configuration: readonly { readonly properties: Record<string, unknown> }[];
  };
}

/** What other extensions and keybindings can call, in a real extension host, against the sample service. */
describe('commands', () => {
  let computerId: string;
  let sessionId: string;

  before(async () => {
    // Ids of the sample are the same in every installation, so one of our own tells them.
    const service = await startSampleService();
    const response = await fetch(`${service.baseUrl}/api/v0/computers`, {
      headers: { authorization: `Bearer ${service.apiKey}` },
    });
    const { computers } = (await response.json()) as { computers: { id: string; status?: string }[] };
    computerId = computers.find(computer => computer.status === 'active')!.id;
    await service.close();
    await vscode.commands.executeCommand(commands.connection.useSampleService);
  });

  it('are all registered', async () => {
    const registered = await vscode.commands.getCommands(true);
    for (const id of Object.values(commands).flatMap(feature => Object.values<string>(feature))) {
      assert.ok(registered.includes(id), id);
    }
  });

  it('create a session and answer with its id', async () => {
    sessionId = await vscode.commands.executeCommand<string>(commands.sessions.create, {
      computerId,
      sessionSettings: { model: 'atlas-large', tags: [{ name: 'from a test' }] },
    });
    assert.match(sessionId, /\S/);
  });

  it('send a message with a file and answer with its id and the status', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const file = vscode.Uri.joinPath(folder.uri, 'sent-by-command.txt');
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode('content\n'));
    const answer = await vscode.commands.executeCommand<{ messageId: string; status: string }>(
      commands.chat.send,
      {
        sessionId,
        text: 'Read this, please.',
        attachments: [file],
      },
    );
    assert.match(answer.messageId, /\S/);
    assert.ok(['idle', 'pending', 'running'].includes(answer.status), answer.status);
    await vscode.workspace.fs.delete(file);
  });

  it('add a known session again without harm', async () => {
    assert.equal(await vscode.commands.executeCommand(commands.sessions.add, sessionId), sessionId);
  });

  for (const [what, command, argument, sentence] of [
    ['a computer that is not there', commands.sessions.create, { computerId: 'no-such-computer' }, /404/],
    [
      'settings that are not an object',
      commands.sessions.create,
      { computerId: 'x', sessionSettings: 7 },
      /sessionSettings/,
    ],
    ['an id with spaces', commands.sessions.add, 'not an id', /not a session id/],
    ['a session that is not there', commands.sessions.add, 'no-such-session', /404/],
    ['a message to no session', commands.chat.send, { text: 'x' }, /session id/],
    ['a message without text', commands.chat.send, { sessionId: 'x', text: '' }, /text/],
    [
      'a message to a session that is not there',
      commands.chat.send,
      { sessionId: 'no-such-session', text: 'x' },
      /404/,
    ],
    ['a file that is not there', commands.chat.send, 'file', /missing\.txt/],
  ] as const) {
    it(`refuse ${what} with a sentence`, async () => {
      const given =
        argument === 'file'
          ? { sessionId, text: 'x', attachments: [vscode.Uri.file('/no/such/folder/missing.txt')] }
          : argument;
      await assert.rejects(
        async () => vscode.commands.executeCommand(command, given),
        (error: Error) => sentence.test(error.message) || assert.fail(error.message),
      );
    });
  }

  it('take no key and give none away', async () => {
    const seen = JSON.stringify([
      await vscode.commands.executeCommand(commands.console.copyDiagnostics),
      await vscode.env.clipboard.readText(),
    ]);
    assert.match(seen, /Agent Console/);
    assert.match(seen, /Recent problems: [1-9][\s\S]*Command agentConsole\.chat\.send: /);
    assert.doesNotMatch(seen, /sample_owner_|Bearer/i);
  });
});

describe('settings', () => {
  it('are all declared with a default of the type that is read', () => {
    const extension = vscode.extensions.getExtension('agent-console.agent-console');
    const { configuration } = (extension?.packageJSON as Manifest).contributes;
    for (const id of configuration.flatMap(({ properties }) => Object.keys(properties))) {
      const inspected = vscode.workspace.getConfiguration().inspect(id);
      assert.notEqual(inspected?.defaultValue, undefined, id);
    }
  });

  it('of a workspace cannot change where requests go', async () => {
    await assert.rejects(async () =>
      vscode.workspace
        .getConfiguration('agentConsole')
        .update('baseUrl', 'https://evil.example.com', vscode.ConfigurationTarget.Workspace),
    );
  });
});
