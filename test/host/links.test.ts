import assert from 'node:assert/strict';
import { tests as commonmark } from 'commonmark-spec';
import * as vscode from 'vscode';
import type { Part } from '../../src/chat/protocol';
import { transcriptDocument } from '../../src/chat/transcript/markdownDocument';
import { commands, documents } from '../../src/contributions';
import { stableText } from '../../src/organization/changes';
import type { ShownReport } from '../../src/readiness/model';
import { markdownOf } from '../../src/readiness/sections';
import { startSampleService } from '../fakes/sampleService';
import { csv } from '../../src/util/csv';
import { factsDocument, type Fact } from '../../src/ui/text';
import { Formatter } from '../../src/util/format';
import { saveText } from '../../src/ui/saveText';
import { forEditor } from '../../src/util/text';
import { hostileForms, hostileTargets, isFollowable } from '../unit/chat/hostileLinks';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { openAddress } from '../../src/ui/window';
import { LoopbackServer } from '../fakes/faultServer';

/** What VS Code itself would follow in what it opens of others' words (trust 41). */
describe('documents of foreign words', () => {
  const examples = commonmark.map(({ markdown }) => markdown.replaceAll('→', '\t'));
  const [command] = hostileTargets;

  const linksIn = async ({ uri }: vscode.TextDocument): Promise<readonly string[]> => {
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      'vscode.executeLinkProvider',
      uri,
      10_000,
    );
    return links.map(({ target }) => target?.toString(true) ?? 'a link that leads nowhere known');
  };
  const linksOf = async (content: string, language = 'markdown'): Promise<readonly string[]> =>
    linksIn(await vscode.workspace.openTextDocument({ content, language }));
  const assertNone = async (content: string, language?: string): Promise<void> => {
    const wrong = (await linksOf(content, language)).filter(target => !isFollowable(target));
    assert.deepEqual(wrong, [], content);
  };
  const folded = { kind: 'fold', icon: 'tools', preview: '', failed: false } as const;
  /** A session whose agent said all these. */
  const transcript = (texts: readonly string[]): string =>
    forEditor(
      transcriptDocument(
        { title: texts[0] ?? '', facts: [] },
        texts.map((text, index) => ({
          kind: 'message',
          key: String(index),
          id: String(index),
          at: 0,
          author: 'other',
          role: text,
          failed: false,
          parts: [
            { kind: 'text', text },
            ...[true, false].map(isCode => ({
              ...folded,
              label: ['Used ', text],
              texts: [text, text],
              isCode,
            })),
            { kind: 'file', label: text },
          ] satisfies readonly Part[],
          chips: [{ key: '0', name: text, size: '1 KB' }],
        })) as unknown as Parameters<typeof transcriptDocument>[1],
        new Formatter('en'),
      ),
    );

  before(async function () {
    const markdown = vscode.extensions.getExtension('vscode.markdown-language-features');
    assert.ok(markdown, 'VS Code has its Markdown support');
    await markdown.activate();
    const targets = await linksOf('[a](command:x) file:///x [b]: y\n\n[c]: d\n\n<a href="/e">');
    assert.ok(targets.includes('command:x') && targets.includes('file:///x'), targets.join());
    assert.equal(targets.length, 4, targets.join());
  });

  it('hold no other link of any form', async function () {
    for (const form of hostileForms(command)) await assertNone(transcript([form]));
    for (const target of hostileTargets) await assertNone(transcript(hostileForms(target)));
  });

  it('hold no other link where what stands in code goes on behind it', async () => {
    const [, , , , , target] = hostileTargets;
    for (const texts of [
      // Its brackets pair with those within the words of a link.
      [`[a \`](/etc/passwd)\` b](https://x.invalid)[click\\](${target}) \\![click](${target})`],
      // A tag in the quotes of another.
      ['<a href="hi\'> <a href=hi\'>\n">', `\`\`\`html\n<a href=${target}></a>\n\`\`\`\n\nWords behind it.`],
    ])
      await assertNone(transcript(texts));
  });

  it('hold no other link of the CommonMark examples', async function () {
    for (const target of [command, '../x', 'file:///x']) {
      const hostile = examples.map(example => example.replaceAll('/url', target));
      for (let at = 0; at < hostile.length; at += 60)
        await assertNone(transcript(hostile.slice(at, at + 60)));
    }
  });

  it('keep the links that may be followed', async () => {
    const targets = await linksOf(
      transcript(['[a](https://a.invalid/x_(y)?b=c&d) <mailto:b@c.invalid> https://d.invalid']),
    );
    for (const target of ['https://a.invalid/x_(y)?b=c&d', 'mailto:b@c.invalid', 'https://d.invalid/'])
      assert.ok(
        targets.some(each => decodeURIComponent(each).replace(/\/$/, '') === target.replace(/\/$/, '')),
        `${target} is not among ${targets.join(' ')}`,
      );
  });

  it('hold no other link in details, settings, reports and tables', async function () {
    const texts = hostileTargets.flatMap(hostileForms);
    const facts = texts.map((text): Fact => [text, text]);
    await assertNone(forEditor(factsDocument(texts[0] ?? '', [['', facts]], { texts })));
    await assertNone(forEditor(stableText({ texts })), 'jsonc');
    for (const text of texts.slice(0, 60)) {
      const report = {
        createdAt: 0,
        report: { [text]: { numerator: 0, denominator: 1, rationale: text } },
        apps: { [text]: { description: text } },
        branch: text,
        repoUrl: text,
      };
      const shown = { repository: { name: text, reports: [report] }, report } as unknown as ShownReport;
      await assertNone(markdownOf(shown, { staleness: 'unknown', commits: undefined }));
    }
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert.ok(folder);
    const target = vscode.Uri.joinPath(folder, 'links.csv');
    await saveText({
      name: 'links.csv',
      content: csv(
        ['a'],
        texts.map(text => [text]),
      ),
      target,
    });
    const saved = await vscode.workspace.openTextDocument(target);
    assert.deepEqual(
      (await linksIn(saved)).filter(each => !isFollowable(each)),
      [],
    );
    await vscode.workspace.fs.delete(target);
  });

  it('hold no other link when a session is opened', async function () {
    const service = await startSampleService();
    type Computers = { readonly computers: readonly { readonly id: string; readonly status?: string }[] };
    const { computers } = await service.ask<Computers>('/api/v0/computers');
    await service.close();
    await vscode.commands.executeCommand(commands.connection.useSampleService);
    const computerId = computers.find(({ status }) => status === 'active')?.id;
    const sessionId = await vscode.commands.executeCommand<string>(commands.sessions.create, {
      computerId,
      sessionSettings: { model: 'atlas-large', tags: [{ name: 'from a test' }] },
    });
    const text = hostileForms(command).join('\n\n');
    await vscode.commands.executeCommand(commands.chat.send, { sessionId, text });
    await vscode.commands.executeCommand(commands.chat.export, sessionId);
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.uri.scheme, documents.details);
    assert.match(document.getText(), /some\.command/);
    assert.deepEqual(
      (await linksIn(document)).filter(each => !isFollowable(each)),
      [],
    );
  });

  it('say that they are not kept, after a reload', async () => {
    const uri = vscode.Uri.from({ scheme: documents.details, path: '/before/a reload.jsonc' });
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    assert.equal(text, 'This document is not kept across a reload. Open it again.');
  });
});

/** What a browser asks for when a link of a message is opened. */
describe('an address', () => {
  let server: Server;
  let loopback: LoopbackServer;
  let origin: string;
  before(async () => {
    server = createServer((request, response) => void response.end(request.url));
    loopback = await LoopbackServer.listen(server);
    // This machine under a name whose ports no server of VS Code maps.
    origin = `http://links.localhost:${loopback.port}`;
  });
  after(() => loopback.close());

  for (const address of [
    '/plain?a=b&c=d',
    '/a%23b%3Fc%2Fd%20e?q=1%2B1%26x%3D%2523&r=a+b%20c',
    '/%E2%9C%93/%25?to=https%3A%2F%2Fexample.com%2F%3Fa%3Db%23c',
  ]) {
    it(`is opened as it is written: ${address}`, async () => {
      const asked = new Promise<string | undefined>(resolve => {
        const listen = ({ url }: IncomingMessage): void => {
          if (url === '/favicon.ico') return;
          server.off('request', listen);
          resolve(url);
        };
        server.on('request', listen);
      });
      await openAddress(`${origin}${address}`);
      assert.equal(await asked, address);
    });
  }
});
