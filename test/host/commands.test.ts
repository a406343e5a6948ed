import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { AgentConsole } from '../../api';
import { startSampleService, type SampleService } from '../fakes/sampleService';
import { commands } from '../../src/contributions';
import { makeSampleRepository } from '../../src/sample/repository';
import { until } from '../until';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { run, sitDown, told } from './person';

describe('activation', () => {
  it('finds the extension, activates it, and loads one file for that', async () => {
    const extension = vscode.extensions.getExtension('agent-console.agent-console');
    assert.ok(extension, 'the extension is not there');
    await extension.activate();
    assert.equal(extension.isActive, true);
    const dist = path.join(extension.extensionPath, 'dist');
    const loaded = Object.keys(require.cache).filter(file => file.startsWith(dist));
    assert.deepEqual(loaded, [path.join(dist, 'extension.js')]);
  });
});

/** What a command has done: said in a notice, written to the clipboard or a file, or shown in an editor. */
type Seen = readonly ['told' | 'copied' | 'document' | 'tab' | 'written', RegExp];
type Happy = readonly [
  command: string,
  args: readonly unknown[],
  answers: readonly (string | vscode.Uri)[],
  ...seen: readonly Seen[],
];

/** Every command on its happy path, in a real extension host against the sample, as people and other extensions run it. */
describe('commands', () => {
  let service: SampleService;
  let outside: string;
  let folder: string;
  let computerId: string;
  let sessionId: string;
  const ran = new Set<string>();

  const look: Readonly<Record<Seen[0], () => string | Promise<string>>> = {
    told: () => told.join('\n'),
    copied: async () => vscode.env.clipboard.readText(),
    document: () => vscode.window.visibleTextEditors.map(({ document }) => document.getText()).join('\n'),
    tab: () => vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? '',
    written: () =>
      fs
        .readdirSync(outside)
        .map(name => fs.readFileSync(path.join(outside, name), 'utf8'))
        .join('\n'),
  };
  const expected = async ([where, pattern]: Seen): Promise<void> => {
    let last = '';
    await until(async () => pattern.test((last = await look[where]()))).catch(() =>
      assert.fail(
        `${where}: ${String(pattern)} is not in “${last.slice(0, 800)}”; told: ${told.join(' | ')}`,
      ),
    );
  };
  const works = async ([command, args, answers, ...seen]: Happy): Promise<void> => {
    ran.add(command);
    await run(command, args, answers);
    for (const each of seen) await expected(each);
  };
  const table = (what: string, rows: () => readonly Happy[]): void => {
    it(what, async () => {
      for (const row of rows()) await works(row);
    });
  };

  before(async () => {
    service = await startSampleService();
    outside = temporaryFolder('host');
    folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail('no folder');
    // Ids of the sample are the same in every installation, so one of our own tells them.
    const { computers } = await service.ask<{ computers: { id: string; name: string }[] }>(
      '/api/v0/computers',
    );
    computerId = computers.find(({ name }) => name === 'atlas')!.id;
    await vscode.extensions.getExtension('agent-console.agent-console')?.activate();
    sitDown();
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await service.close();
    removeFolder(outside);
  });

  it('are all registered', async () => {
    const registered = await vscode.commands.getCommands(true);
    for (const id of Object.values(commands).flatMap(feature => Object.values<string>(feature)))
      assert.ok(registered.includes(id), id);
  });

  table('sign in, show what the key can read, sign out, and try with sample data', () => [
    [
      commands.connection.signIn,
      [],
      [service.baseUrl, service.appUrl, service.apiKey],
      ['told', /Signed in to/],
    ],
    [commands.connection.showAccess, [], ['Computers']],
    [commands.connection.signOut, [], ['Sign out'], ['told', /Signed out of/]],
    [commands.connection.useSampleService, [], [], ['told', /sample data/]],
    [commands.console.refresh, [], []],
  ]);

  it('create a session and answer with its id', async () => {
    const settings = { model: 'atlas-large', tags: [{ name: 'from a test' }] };
    sessionId = await run<string>(commands.sessions.create, [{ computerId, sessionSettings: settings }], []);
    assert.match(sessionId, /\S/);
    ran.add(commands.sessions.create);
  });

  it('send a message with a file and answer with its id and the status', async () => {
    const file = vscode.Uri.file(path.join(outside, 'sent.txt'));
    fs.writeFileSync(file.fsPath, 'content\n');
    const request = { sessionId, text: 'Read this, please.', attachments: [file] };
    const answer = await run<{ messageId: string; status: string }>(commands.chat.send, [request], []);
    assert.match(answer.messageId, /\S/);
    assert.ok(['idle', 'pending', 'running'].includes(answer.status), answer.status);
    ran.add(commands.chat.send);
  });

  it('leave the tools of chats and the API of other extensions something to tell', async () => {
    const names = vscode.lm.tools.map(({ name }) => name).filter(name => name.startsWith('agentConsole_'));
    assert.ok(names.includes('agentConsole_list_sessions'), names.join(' '));
    const asked = { input: { sessionId }, toolInvocationToken: undefined };
    const { content } = await vscode.lm.invokeTool('agentConsole_read_session', asked);
    assert.match(JSON.stringify(content), /untrusted.*Read this, please\./);
    const sent = { input: { sessionId, text: 'Go on' }, toolInvocationToken: undefined };
    await assert.rejects(
      async () => vscode.lm.invokeTool('agentConsole_send_message', sent),
      /agentConsole\.tools\.write/,
    );
    const extension = vscode.extensions.getExtension<AgentConsole>('agent-console.agent-console');
    const sessions = await (await extension?.exports.getApi(1))?.sessions();
    assert.ok(sessions?.some(session => session.sessionId === sessionId));
  });

  it('add a known session again without harm', async () => {
    assert.equal(await run(commands.sessions.add, [sessionId], []), sessionId);
    ran.add(commands.sessions.add);
  });

  table('do with a session what people do', () => {
    const list = vscode.Uri.file(path.join(outside, 'list.json'));
    const at = { sessionId };
    return [
      [commands.sessions.create, [], ['atlas', 'Default'], ['tab', /New session/]],
      [commands.chat.open, [], [sessionId], ['tab', /Read this/]],
      [
        commands.chat.attachFiles,
        [vscode.Uri.file(path.join(outside, 'sent.txt'))],
        [],
        ['tab', /Read this/],
      ],
      [commands.chat.find, [], []],
      [commands.chat.stop, [sessionId], []],
      [commands.chat.export, [sessionId], [], ['document', /Read this, please\./]],
      [commands.search.open, [], ['type:please', 'Read this, please'], ['tab', /Read this/]],
      [commands.sessions.copyId, [at], [], ['copied', new RegExp(`^${sessionId}$`)]],
      [commands.sessions.copyLink, [at], [], ['copied', /agent-console\.agent-console\/session\//]],
      [commands.sessions.rename, [at], ['By another name'], ['tab', /By another name/]],
      [commands.sessions.showDetails, [at], [], ['document', /By another name/]],
      [commands.sessions.pin, [at], []],
      [commands.sessions.export, [], [list], ['written', /"pinned": ?true/]],
      [commands.sessions.pin, [at], []],
      [commands.sessions.archive, [at], [], ['told', /Archived/]],
      [commands.sessions.unarchive, [at], []],
      [commands.sessions.import, [], [list], ['told', /Sessions imported/]],
      [commands.sessions.remove, [at], [], ['told', /Nothing was removed/]],
      [commands.sessions.restore, [], [sessionId]],
      [commands.sessions.viewOptions, [], ['Computer']],
      [commands.sessions.viewOptions, [], ['Status']],
      [commands.computers.showDetails, [], ['atlas'], ['document', /atlas/]],
    ];
  });

  it('attach what is selected in an editor', async () => {
    const document = await vscode.workspace.openTextDocument({ content: 'one\ntwo\n' });
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(0, 0, 1, 0) });
    await works([commands.chat.attachSelection, [], [sessionId], ['tab', /By another name/]]);
  });

  it('attach the problems of a file, by one of their fixes', async () => {
    const uri = vscode.Uri.file(path.join(folder, 'readme.txt'));
    const range = new vscode.Range(0, 2, 0, 8);
    const problems = vscode.languages.createDiagnosticCollection('test');
    problems.set(uri, [new vscode.Diagnostic(range, 'No such folder.')]);
    await vscode.window.showTextDocument(uri);
    let fix: vscode.CodeAction | undefined;
    await until(async () => {
      const all = await vscode.commands.executeCommand<readonly vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        ...[uri, range],
      );
      return (fix = all.find(({ title }) => title === 'Send to agent session…')) !== undefined;
    });
    const { command = '', arguments: args = [] } = fix?.command ?? {};
    assert.equal(command, commands.chat.attachFiles);
    await works([command, args, [sessionId], ['tab', /By another name/]]);
    problems.dispose();
  });

  it('take uncommitted changes along; show what an agent changed, comment on it, and bring it home', async () => {
    const shop = path.join(folder, 'shop');
    await makeSampleRepository(shop, 'git', Date.now());
    fs.appendFileSync(path.join(shop, 'README.md'), 'Mine\n');
    await vscode.commands.executeCommand('git.openRepository', shop);
    await vscode.window.showTextDocument(vscode.Uri.file(path.join(shop, 'README.md')));
    await works([commands.changes.takeAlong, [{ sessionId }], [], ['tab', /By another name/]]);
    const name = 'agent/flaky-total-test';
    const extension = vscode.extensions.getExtension<AgentConsole>('agent-console.agent-console');
    const sessions = (await (await extension?.exports.getApi(1))?.sessions()) ?? [];
    const at = sessions.find(({ title }) => /flaky/i.test(title)) ?? assert.fail('no such session');
    const changes = commands.changes;
    await works([changes.show, [at], [], ['tab', new RegExp(name)]]);
    await works([changes.chooseBranch, [at], [name]]);
    const commit = execFileSync('git', ['rev-parse', `origin/${name}`], {
      cwd: shop,
      encoding: 'utf8',
    }).trim();
    const uri = vscode.Uri.from({
      ...{ scheme: 'agentconsole-changes', path: '/services/checkout/src/total.test.ts' },
      query: new URLSearchParams({ root: shop, commit }).toString(),
    });
    assert.match((await vscode.workspace.openTextDocument(uri)).getText(), /total/);
    const thread = { uri, range: new vscode.Range(0, 0, 0, 0), comments: [] as vscode.Comment[] };
    await works([changes.comment, [{ thread, text: 'Why?' }], []]);
    await until(() => thread.comments.length === 1);
    await works([changes.sendComments, [at], [], ['tab', /flaky/i]]);
    await works([changes.removeComment, thread.comments, []]);
    await works([changes.bringHome, [at], ['Open in a new worktree', 'Continue'], ['told', /is in /]]);
    await vscode.commands.executeCommand('git.close', vscode.Uri.file(shop));
    for (const each of fs.readdirSync(folder).filter(file => file.startsWith('shop')))
      removeFolder(path.join(folder, each));
  });

  table('show the organization, readiness and usage', () => {
    const csv = vscode.Uri.file(path.join(outside, 'users.csv'));
    return [
      [commands.organization.showUser, [], ['@acme.example'], ['document', /@acme\.example/]],
      [commands.organization.export, [], ['Users', csv], ['written', /@acme\.example/]],
      [commands.organization.openChanges, [], ['rev'], ['tab', /Controls: revision \d+/]],
      [commands.organization.compareRevisions, [], ['rev', 'rev'], ['tab', /revision \d+ ↔ \d+/]],
      [commands.organization.showRevision, [], ['rev'], ['document', /maxAutonomyLevel/]],
      [commands.readiness.openReport, [], ['acme/billing'], ['tab', /billing/]],
      [commands.readiness.compare, [], ['acme/shop', '%', '%'], ['tab', /shop/]],
      [commands.readiness.fix, [], ['acme/shop', '', sessionId], ['tab', /By another name/]],
      [commands.readiness.exportReport, [], ['acme/shop'], ['document', /# .*shop/]],
      [commands.usage.open, [], [], ['tab', /Usage/]],
      [commands.tools.copyMcpConfiguration, [], [], ['copied', /agent-console-mcp\.js/]],
    ];
  });

  table('install hooks, check and try them, and take them out again', () => {
    const answers = [path.join(outside, 'settings.json'), 'Stop', 'Write change'];
    return [
      [commands.hooks.install, [], answers, ['told', /are installed/], ['written', /"Stop"/]],
      [commands.hooks.test, [], [], ['told', /Hooks work/]],
      [commands.hooks.doctor, [], ['This window listens']],
      [commands.hooks.attention, [], ['']],
      [commands.hooks.uninstall, [], ['settings.json', 'Delete file'], ['told', /were removed/]],
    ];
  });

  for (const [what, command, argument, sentence] of [
    ['a computer that is not there', commands.sessions.create, { computerId: 'no-such-computer' }, /404/],
    [
      'settings that are no object',
      commands.sessions.create,
      { computerId: 'x', sessionSettings: 7 },
      /sessionSettings/,
    ],
    ['an id with spaces', commands.sessions.add, 'not an id', /no spaces/],
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
      const missing = [vscode.Uri.file('/no/such/folder/missing.txt')];
      const given = argument === 'file' ? { sessionId, text: 'x', attachments: missing } : argument;
      await assert.rejects(
        async () => vscode.commands.executeCommand(command, given),
        (error: Error) => sentence.test(error.message) || assert.fail(error.message),
      );
    });
  }

  it('tell of themselves without a key', async () => {
    await works([commands.console.showLog, [], []]);
    await works([commands.console.copyDiagnostics, [], [], ['told', /Diagnostics copied/]]);
    const seen = await vscode.env.clipboard.readText();
    assert.match(seen, /Agent Console/);
    assert.match(seen, /Recent problems: [1-9][\s\S]*Command agentConsole\.chat\.send: /);
    assert.doesNotMatch(seen, /sample_owner_|Bearer/i);
  });

  it('are joined by a server of tools, which the editor starts for its own chats', async () => {
    const toolOf = () => vscode.lm.tools.find(({ name }) => /^mcp_.*list_sessions$/.test(name));
    const start = { autoTrustChanges: true, waitForLiveTools: true };
    await until(async () => {
      await vscode.commands.executeCommand('workbench.mcp.startServer', '*', start);
      return toolOf() !== undefined;
    });
    const asked = { input: {}, toolInvocationToken: undefined };
    const { content } = await vscode.lm.invokeTool(toolOf()!.name, asked);
    assert.match(JSON.stringify(content), new RegExp(sessionId));
  });

  it('have all been run', () => {
    const all = Object.values(commands).flatMap(feature => Object.values<string>(feature));
    assert.deepEqual(
      all.filter(id => !ran.has(id)),
      [],
    );
  });
});

describe('settings', () => {
  it('of a workspace cannot change where requests go', async () => {
    await assert.rejects(
      async () =>
        vscode.workspace
          .getConfiguration('agentConsole')
          .update('baseUrl', 'https://evil.example.com', vscode.ConfigurationTarget.Workspace),
      /agentConsole\.baseUrl.* can be written only into User settings/,
    );
  });
});
