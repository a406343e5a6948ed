import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { AgentConsole } from '../../api';
import { startSampleService, type SampleService } from '../fakes/sampleService';
import { givenBy } from '../../src/chat/attach/given';
import { commands } from '../../src/contributions';
import { makeSampleRepository } from '../../src/sample/repository';
import { until } from '../until';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { run, sitDown, told } from './person';

const extension = (): vscode.Extension<AgentConsole> =>
  vscode.extensions.getExtension('agent-console.agent-console') ?? assert.fail('the extension is not there');

/** What a command has done: said in a notice, written to the clipboard or a file, or shown in an editor. */
type Seen = readonly ['told' | 'copied' | 'document' | 'tab' | 'written', RegExp];
type Happy = readonly [
  command: string,
  args: readonly unknown[],
  answers: readonly (string | vscode.Uri)[],
  ...seen: readonly Seen[],
];

const { changes, chat, connection, hooks, organization, readiness, sessions, tools, usage } = commands;
const ids = Object.values(commands).flatMap(feature => Object.values<string>(feature));

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
    written: () => {
      const files = fs.readdirSync(outside).map(name => path.join(outside, name));
      return files.map(file => fs.readFileSync(file, 'utf8')).join('\n');
    },
  };
  const works = async <T>([command, args, answers, ...seen]: Happy): Promise<T> => {
    ran.add(command);
    const result = await run<T>(command, args, answers);
    for (const [where, pattern] of seen) {
      let last = '';
      await until(async () => pattern.test((last = await look[where]()))).catch(() =>
        assert.fail(`${where}: ${pattern} is not in “${last.slice(0, 800)}”; told: ${told.join(' | ')}`),
      );
    }
    return result;
  };
  const table = (what: string, rows: () => readonly Happy[]): void => {
    it(what, async () => {
      for (const row of rows()) await works(row);
    });
  };
  const file = (name: string): vscode.Uri => vscode.Uri.file(path.join(outside, name));
  const known = async () => (await extension().exports.getApi(1)).sessions();

  before(async () => {
    service = await startSampleService();
    outside = temporaryFolder('host');
    folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail('no folder');
    // Ids of the sample are the same in every installation, so one of our own tells them.
    type Computers = { computers: { id: string; name: string }[] };
    const { computers } = await service.ask<Computers>('/api/v0/computers');
    computerId = computers.find(({ name }) => name === 'atlas')!.id;
    await extension().activate();
    sitDown();
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await service.close();
    removeFolder(outside);
  });

  table('sign in, show what the key can read, sign out, and try with sample data', () => {
    const answers = [service.baseUrl, service.appUrl, service.apiKey];
    return [
      [connection.signIn, [], answers, ['told', /Signed in to/]],
      [connection.showAccess, [], ['Computers']],
      [connection.signOut, [], ['Sign out'], ['told', /Signed out of/]],
      [connection.useSampleService, [], [], ['told', /sample data/]],
      [commands.console.refresh, [], []],
    ];
  });

  it('create a session, send it a message with a file, and answer with ids and the status', async () => {
    const settings = { model: 'atlas-large', tags: [{ name: 'from a test' }] };
    sessionId = await works([sessions.create, [{ computerId, sessionSettings: settings }], []]);
    assert.match(sessionId, /\S/);
    fs.writeFileSync(file('sent.txt').fsPath, 'content\n');
    const request = { sessionId, text: 'Read this, please.', attachments: [file('sent.txt')] };
    const answer = await works<{ messageId: string; status: string }>([chat.send, [request], []]);
    assert.match(answer.messageId, /\S/);
    assert.ok(['idle', 'pending', 'running'].includes(answer.status), answer.status);
    assert.equal(
      await works([sessions.add, [sessionId], []]),
      sessionId,
      'a known one is added without harm',
    );
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
    assert.ok((await known()).some(session => session.sessionId === sessionId));
  });

  table('do with a session what people do', () => {
    const list = file('list.json');
    const at = { sessionId };
    return [
      [sessions.create, [], ['atlas', 'Default'], ['tab', /New session/]],
      [chat.open, [], [sessionId], ['tab', /Read this/]],
      [chat.attachFiles, [file('sent.txt')], [], ['tab', /Read this/]],
      [chat.find, [], []],
      [chat.stop, [sessionId], []],
      [chat.export, [sessionId], [], ['document', /Read this, please\./]],
      [commands.search.open, [], ['type:please', 'Read this, please'], ['tab', /Read this/]],
      [sessions.copyId, [at], [], ['copied', new RegExp(`^${sessionId}$`)]],
      [sessions.copyLink, [at], [], ['copied', /agent-console\.agent-console\/session\//]],
      [sessions.rename, [at], ['By another name'], ['tab', /By another name/]],
      [sessions.showDetails, [at], [], ['document', /By another name/]],
      [sessions.pin, [at], []],
      [sessions.export, [], [list], ['written', /"pinned": ?true/]],
      [sessions.pin, [at], []],
      [sessions.archive, [at], [], ['told', /Archived/]],
      [sessions.unarchive, [at], []],
      [sessions.import, [], [list], ['told', /Sessions imported/]],
      [sessions.remove, [at], [], ['told', /Nothing was removed/]],
      [sessions.restore, [], [sessionId]],
      [sessions.viewOptions, [], ['Computer']],
      [sessions.viewOptions, [], ['Status']],
      [commands.computers.showDetails, [], ['atlas'], ['document', /atlas/]],
    ];
  });

  it('attach what is selected in an editor', async () => {
    const document = await vscode.workspace.openTextDocument({ content: 'one\ntwo\n' });
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(0, 0, 1, 0) });
    await works([chat.attachSelection, [], [sessionId], ['tab', /By another name/]]);
  });

  it('attach what is selected in a terminal, and leave the clipboard as it was', async () => {
    await vscode.env.clipboard.writeText('mine');
    const terminal = vscode.window.createTerminal({ name: 'of a test', shellPath: '/bin/sh' });
    const given = async (): Promise<string> => {
      const { files } = await givenBy([terminal], () => assert.fail('a diff is asked for'));
      const texts = files.map(async file => `${file.name}\n${Buffer.from(await file.read()).toString()}`);
      return (await Promise.all(texts)).join();
    };
    terminal.show();
    await assert.rejects(given, /^Error: Select some text in the terminal first\.$/);
    terminal.sendText('echo attach-$((40 + 2))');
    await until(async () => {
      await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
      return /^terminal\.txt\n[^]*attach-42/.test(await given().catch(() => ''));
    });
    assert.equal(await vscode.env.clipboard.readText(), 'mine');
    terminal.dispose();
  });

  it('attach the problems of a file, by one of their fixes', async () => {
    const uri = vscode.Uri.file(path.join(folder, 'readme.txt'));
    const range = new vscode.Range(0, 2, 0, 8);
    const problems = vscode.languages.createDiagnosticCollection('test');
    problems.set(uri, [new vscode.Diagnostic(range, 'No such folder.')]);
    await vscode.window.showTextDocument(uri);
    let fix: vscode.CodeAction | undefined;
    await until(async () => {
      const provide = 'vscode.executeCodeActionProvider';
      const all = await vscode.commands.executeCommand<readonly vscode.CodeAction[]>(provide, uri, range);
      return (fix = all.find(({ title }) => title === 'Send to agent session…')) !== undefined;
    });
    const { command = '', arguments: args = [] } = fix?.command ?? {};
    assert.equal(command, chat.attachFiles);
    await works([command, args, [sessionId], ['tab', /By another name/]]);
    problems.dispose();
  });

  it('take uncommitted changes along; show what an agent changed, comment on it, and bring it home', async () => {
    const shop = path.join(folder, 'shop');
    const readme = path.join(shop, 'README.md');
    await makeSampleRepository(shop, 'git', Date.now());
    fs.appendFileSync(readme, 'Mine\n');
    await vscode.commands.executeCommand('git.openRepository', shop);
    await vscode.window.showTextDocument(vscode.Uri.file(readme));
    await works([changes.takeAlong, [{ sessionId }], [], ['tab', /By another name/]]);
    const name = 'agent/flaky-total-test';
    const at = (await known()).find(({ title }) => /flaky/i.test(title)) ?? assert.fail('no such session');
    await works([changes.show, [at], [], ['tab', new RegExp(name)]]);
    await works([changes.chooseBranch, [at], [name]]);
    const commit = execFileSync('git', ['rev-parse', `origin/${name}`], { cwd: shop })
      .toString()
      .trim();
    const uri = vscode.Uri.from({
      scheme: 'agentconsole-changes',
      path: '/services/checkout/src/total.test.ts',
      query: new URLSearchParams({ root: shop, commit, sessionId: at.sessionId }).toString(),
    });
    assert.match((await vscode.workspace.openTextDocument(uri)).getText(), /total/);
    const thread = { uri, range: new vscode.Range(0, 0, 0, 0), comments: [] as vscode.Comment[] };
    await works([changes.comment, [{ thread, text: 'Why?' }], []]);
    await until(() => thread.comments.length === 1);
    await works([changes.sendComments, [at], [], ['tab', /flaky/i]]);
    await works([changes.removeComment, thread.comments, []]);
    await works([changes.bringHome, [at], ['Open in a new worktree', 'Continue'], ['told', /is in /]]);
    await vscode.commands.executeCommand('git.close', vscode.Uri.file(shop));
    for (const made of fs.globSync('shop*', { cwd: folder })) removeFolder(path.join(folder, made));
  });

  table('show the organization, readiness and usage', () => [
    [organization.showUser, [], ['@acme.example'], ['document', /@acme\.example/]],
    [organization.export, [], ['Users', file('users.csv')], ['written', /@acme\.example/]],
    [organization.openChanges, [], ['rev'], ['tab', /Controls: revision \d+/]],
    [organization.compareRevisions, [], ['rev', 'rev'], ['tab', /revision \d+ ↔ \d+/]],
    [organization.showRevision, [], ['rev'], ['document', /maxAutonomyLevel/]],
    [readiness.openReport, [], ['acme/billing'], ['tab', /billing/]],
    [readiness.compare, [], ['acme/shop', '%', '%'], ['tab', /shop/]],
    [readiness.fix, [], ['acme/shop', '', sessionId], ['tab', /By another name/]],
    [readiness.exportReport, [], ['acme/shop'], ['document', /# .*shop/]],
    [usage.open, [], [], ['tab', /Usage/]],
    [tools.copyMcpConfiguration, [], [], ['copied', /agent-console-mcp\.js/]],
  ]);

  table('install hooks, check and try them, and take them out again', () => {
    const answers = [file('settings.json').fsPath, 'Stop', 'Write change'];
    return [
      [hooks.install, [], answers, ['told', /are installed/], ['written', /"Stop"/]],
      [hooks.test, [], [], ['told', /Hooks work/]],
      [hooks.doctor, [], ['This window is listening']],
      [hooks.attention, [], ['']],
      [hooks.uninstall, [], ['settings.json', 'Delete file'], ['told', /were removed/]],
    ];
  });

  it('refuse with a sentence what cannot be done, and no workspace says where requests go', async () => {
    const nowhere = { sessionId: 'no-such-session', text: 'x' };
    const missing = { sessionId, text: 'x', attachments: [vscode.Uri.file('/no/such/missing.txt')] };
    for (const [command, argument, sentence] of [
      [sessions.create, { computerId: 'no-such-computer' }, /404/],
      [sessions.add, 'not an id', /no spaces/],
      [chat.send, { text: 'x' }, /session id/],
      [chat.send, nowhere, /404/],
      [chat.send, missing, /missing\.txt/],
    ] as const)
      await assert.rejects(async () => vscode.commands.executeCommand(command, argument), sentence);
    const settings = vscode.workspace.getConfiguration('agentConsole');
    const elsewhere = async () =>
      settings.update('baseUrl', 'https://evil.example.com', vscode.ConfigurationTarget.Workspace);
    await assert.rejects(elsewhere, /agentConsole\.baseUrl.* can be written only into User settings/);
  });

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
    assert.deepEqual(
      ids.filter(id => !ran.has(id)),
      [],
    );
  });
});
