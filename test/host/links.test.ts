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
import { openAddress } from '../../src/ui/window';
import { forEditor } from '../../src/util/text';
import { hostileForms, hostileTargets, isFollowable } from '../unit/chat/hostileLinks';
import { FaultServer } from '../fakes/faultServer';
import { until } from '../until';

/** What VS Code itself would follow in what it opens of others' words (trust 41). */
describe('documents of foreign words', () => {
  const examples = commonmark.map(({ markdown }) => markdown.replaceAll('→', '\t'));
  const [command] = hostileTargets;

  const linksIn = async ({ uri }: vscode.TextDocument): Promise<readonly string[]> => {
    const provide = 'vscode.executeLinkProvider';
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(provide, uri, 10_000);
    return links.map(({ target }) => target?.toString(true) ?? 'a link that leads nowhere known');
  };
  const made = async (content: string, language = 'markdown'): Promise<vscode.TextDocument> =>
    vscode.workspace.openTextDocument({ content, language });
  const assertNone = async (document: vscode.TextDocument): Promise<void> => {
    const wrong = (await linksIn(document)).filter(target => !isFollowable(target));
    assert.deepEqual(wrong, [], document.getText());
  };
  /** A session whose agent said all these. */
  const transcript = (...texts: readonly string[]): Promise<vscode.TextDocument> => {
    const folded = { kind: 'fold', icon: 'tools', preview: '', failed: false } as const;
    const partsOf = (text: string): readonly Part[] => [
      { kind: 'text', text },
      { ...folded, label: ['Used ', text], texts: [text, text], isCode: true },
      { ...folded, label: ['Used ', text], texts: [text, text], isCode: false },
      { kind: 'file', label: text },
    ];
    const messages = texts.map((text, index) => ({
      ...{ kind: 'message', key: String(index), id: String(index), at: 0, author: 'other', failed: false },
      ...{ role: text, parts: partsOf(text), chips: [{ key: '0', name: text, size: '1 KB' }] },
    })) as unknown as Parameters<typeof transcriptDocument>[1];
    const header = { title: texts[0] ?? '', facts: [] };
    return made(forEditor(transcriptDocument(header, messages)));
  };

  before(async () => {
    await vscode.extensions.getExtension('vscode.markdown-language-features')!.activate();
    const targets = await linksIn(await made('[a](command:x) file:///x [b]: y\n\n[c]: d\n\n<a href="/e">'));
    assert.ok(targets.includes('command:x') && targets.includes('file:///x'), targets.join());
    assert.equal(targets.length, 4, targets.join());
  });

  it('hold no other link of any form', async () => {
    for (const form of hostileForms(command)) await assertNone(await transcript(form));
    for (const target of hostileTargets) await assertNone(await transcript(...hostileForms(target)));
  });

  it('hold no other link where what stands in code goes on behind it', async () => {
    const target = hostileTargets[5];
    // Its brackets pair with those within the words of a link.
    await assertNone(
      await transcript(
        `[a \`](/etc/passwd)\` b](https://x.invalid)[click\\](${target}) \\![click](${target})`,
      ),
    );
    // A tag in the quotes of another.
    const [quoted, code] = ['<a href="hi\'> <a href=hi\'>\n">', `\`\`\`html\n<a href=${target}></a>\n\`\`\``];
    await assertNone(await transcript(quoted, `${code}\n\nWords behind it.`));
  });

  it('hold no other link of the CommonMark examples', async () => {
    for (const target of [command, '../x', 'file:///x']) {
      const hostile = examples.map(example => example.replaceAll('/url', target));
      for (let at = 0; at < hostile.length; at += 60)
        await assertNone(await transcript(...hostile.slice(at, at + 60)));
    }
  });

  it('keep the links that may be followed', async () => {
    const wanted = ['https://a.invalid/x_(y)?b=c&d', 'mailto:b@c.invalid', 'https://d.invalid'];
    const [link, mail, bare] = wanted;
    const found = await linksIn(await transcript(`[a](${link}) <${mail}> ${bare}`));
    const targets = found.map(target => decodeURIComponent(target).replace(/\/$/, ''));
    assert.deepEqual(
      wanted.filter(target => !targets.includes(target)),
      [],
      targets.join(' '),
    );
  });

  it('hold no other link in details, settings, reports and tables', async () => {
    const texts = hostileTargets.flatMap(hostileForms);
    const facts = texts.map((text): Fact => [text, text]);
    await assertNone(await made(forEditor(factsDocument(texts[0] ?? '', [['', facts]], { texts }))));
    await assertNone(await made(forEditor(stableText({ texts })), 'jsonc'));
    for (const text of texts.slice(0, 60)) {
      const report = {
        createdAt: 0,
        report: { [text]: { numerator: 0, denominator: 1, rationale: text } },
        apps: { [text]: { description: text } },
        branch: text,
        repoUrl: text,
      };
      const shown = { repository: { name: text, reports: [report] }, report } as unknown as ShownReport;
      await assertNone(await made(markdownOf(shown, { staleness: 'unknown', commits: undefined })));
    }
    const rows = texts.map(text => [text]);
    await assertNone(await made(forEditor(csv(['a'], rows)), 'plaintext'));
  });

  it('hold no other link when a session is opened', async () => {
    const service = await startSampleService();
    const list = await service.ask<{ computers: { id: string; status?: string }[] }>('/api/v0/computers');
    await service.close();
    const run = vscode.commands.executeCommand;
    await run(commands.connection.useSampleService);
    const computerId = list.computers.find(({ status }) => status === 'active')?.id;
    const sessionSettings = { model: 'atlas-large', tags: [{ name: 'from a test' }] };
    const sessionId = await run<string>(commands.sessions.create, { computerId, sessionSettings });
    await run(commands.chat.send, { sessionId, text: hostileForms(command).join('\n\n') });
    await run(commands.chat.export, sessionId);
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.uri.scheme, documents.details);
    assert.match(document.getText(), /some\.command/);
    await assertNone(document);
  });

  it('say that they are not kept, after a reload', async () => {
    const uri = vscode.Uri.from({ scheme: documents.details, path: '/before/a reload.jsonc' });
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    assert.equal(text, 'This document is not kept across a reload. Open it again.');
  });
});

/** What a browser asks for when a link of a message is opened. */
it('an address is opened as it is written', async () => {
  const server = await FaultServer.start();
  server.answer({ kind: 'empty' });
  const asked = () => server.hits.map(({ url }) => url).filter(url => url !== '/favicon.ico');
  const addresses = [
    '/plain?a=b&c=d',
    '/a%23b%3Fc%2Fd%20e?q=1%2B1%26x%3D%2523&r=a+b%20c',
    '/%E2%9C%93/%25?to=https%3A%2F%2Fexample.com%2F%3Fa%3Db%23c',
  ];
  for (const [index, address] of addresses.entries()) {
    // This machine under a name whose ports no server of VS Code maps.
    await openAddress(server.origin.replace('127.0.0.1', 'links.localhost') + address);
    await until(() => asked().length > index);
  }
  assert.deepEqual(asked(), addresses);
  await server.close();
});
