import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import * as z from 'zod/mini';
import { activationEvents, contributes } from '../../package.json';
import { commentController, commands, panels, views } from '../../src/contributions';
import { callTool } from '../../src/tools';
import { holds } from '../fakes/when';
import { open } from './tools/scene';

const root = process.env['AGENT_CONSOLE_ROOT']!;
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const text = read('package.json');
const strings = JSON.parse(read('package.nls.json')) as Record<string, string>;
const said = (key: string): string => strings[key.slice(1, -1)] ?? '';
/** The commands that a text for people links to. */
const linksIn = (key: string) => Array.from(said(key).matchAll(/\(command:([^)]+)\)/g), ([, id]) => id!);

type Setting = Readonly<Record<'scope' | 'type' | 'markdownDescription', string>> & {
  readonly default: unknown;
  readonly enum?: readonly unknown[];
};
const settings = contributes.configuration.flatMap(({ properties }) =>
  Object.entries(properties as unknown as Record<string, Setting>),
);
const menus: readonly { readonly command: string; readonly when?: string }[] = Object.values(
  contributes.menus,
).flat();
const commandIds = Object.values(commands).flatMap(feature => Object.values<string>(feature));
const viewIds: readonly string[] = Object.values(views);

describe('package.json', () => {
  it('declares exactly the commands and views of contributions.ts, and restores the panels', () => {
    assert.deepEqual(contributes.commands.map(each => each.command).sort(), commandIds.toSorted());
    const declaredViews = Object.values(contributes.views).flatMap(views => views.map(({ id }) => id));
    assert.deepEqual(declaredViews.sort(), viewIds.toSorted());
    const opened = Object.values(panels).map(panel => `onWebviewPanel:${panel}`);
    assert.deepEqual(activationEvents.toSorted(), ['onStartupFinished', 'onUri', ...opened].sort());
  });

  it('declares settings that are read, out of reach of a workspace, with a default and a name for people', () => {
    const reader = read('src/settings.ts');
    for (const [id, setting] of settings) {
      assert.ok(reader.includes(`'${id.replace(/^agentConsole\./, '')}'`), id);
      assert.equal(setting.scope, 'application', id);
      assert.ok('default' in setting, id);
      const type = Array.isArray(setting.default) ? 'array' : typeof setting.default;
      assert.equal(setting.default === null ? 'null' : type, setting.type, id);
      assert.ok(setting.enum?.includes(setting.default) ?? true, id);
      assert.match(said(setting.markdownDescription), /^\*\*[A-Z][^*]+\*\*/, id);
    }
    const sections = 'Sessions Chat Readiness Usage Hooks Notifications Tools Connection';
    assert.equal(contributes.configuration.map(({ title }) => said(title)).join(' '), sections);
  });

  /** The commands of the palette, of Agent Console and no other, where these context keys are set. */
  const palette = (context: Record<string, string>): string[] => {
    const inPalette: typeof menus = contributes.menus.commandPalette;
    const whens = new Map(inPalette.map(({ command, when }) => [command, when]));
    return commandIds.filter(id => holds(whens.get(id), context)).sort();
  };

  it('offers six commands in the palette before sign-in, and never one that needs an argument', () => {
    const { connection, console: general, hooks } = commands;
    const ofConsole = [general.showLog, general.copyDiagnostics];
    const first = [...ofConsole, connection.signIn, connection.useSampleService, hooks.install, hooks.doctor];
    assert.deepEqual(palette({}), first.sort());
    assert.deepEqual(palette({ 'agentConsole.connection': 'signedOut' }), first);
    assert.ok(!palette({ 'agentConsole.connection': 'signedIn' }).includes(commands.chat.send));
  });

  it('points menus, welcome buttons and views only at what exists', () => {
    for (const { command } of menus) assert.ok(commandIds.includes(command), command);
    for (const { view, contents } of contributes.viewsWelcome) {
      assert.ok(viewIds.includes(view));
      for (const command of linksIn(contents)) assert.ok(commandIds.includes(command), command);
    }
    const keys = 'connection environment knownService draftComments'.split(' ');
    const allowed = [
      ...viewIds.flatMap(id => [id, `${id}.visible`]),
      ...Object.values<string>(panels),
      ...settings.map(([id]) => id),
      ...keys.map(key => `agentConsole.${key}`),
      commentController,
    ];
    const whens = [...menus, ...contributes.viewsWelcome].map(item => item.when ?? '');
    for (const [key] of whens.join(' ').matchAll(/agentConsole\.[\w.]+/g))
      assert.ok(allowed.includes(key), key);
  });

  it('leads the walkthrough only to what exists, and each step of it can be completed', () => {
    const known = [...commandIds, ...viewIds.map(view => `${view}.focus`)];
    const completing = [
      ...commandIds.map(id => `onCommand:${id}`),
      ...viewIds.map(id => `onView:${id}`),
      'onContext:agentConsole.connection == signedIn',
    ];
    assert.match(read('.vscodeignore'), /^!media\/walkthrough\/\*\.svg$/m);
    for (const step of contributes.walkthroughs.flatMap(({ steps }) => steps)) {
      const { id, description, media, completionEvents } = step;
      assert.equal(media.svg, `media/walkthrough/${id}.svg`);
      assert.match(read(media.svg), /fill="var\(--vscode-/, 'it is drawn in the colours of the theme');
      const links = linksIn(description);
      assert.ok(links.length > 0 && completionEvents.length > 0, id);
      for (const link of links) assert.ok(known.includes(link), link);
      for (const event of completionEvents) assert.ok(completing.includes(event), event);
    }
  });

  it('takes every string a person sees from package.nls.json, and no string is left over', () => {
    const used = [...text.matchAll(/"%([^%"]+)%"/g)].map(match => match[1]!);
    assert.deepEqual([...new Set(used)].sort(), Object.keys(strings).sort());
  });

  it('offers chats the tools there are, as they are, those that write only where a person has turned that on', async () => {
    const { languageModelTools, chatSkills } = contributes;
    const { tools } = open();
    const withoutDescriptions = (name: string, value: unknown): unknown =>
      name === 'description' ? undefined : value;
    assert.deepEqual(
      tools.all.map(({ name, title, description, input, writes }) => {
        const { $schema, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
        assert.match($schema ?? '', /2020-12/);
        const when = writes ? { when: 'config.agentConsole.tools.write' } : {};
        const named = { name: `agentConsole_${name}`, toolReferenceName: `agentConsole_${name}` };
        const words = { displayName: title, modelDescription: description };
        return { ...named, ...words, canBeReferencedInPrompt: true, inputSchema, ...when };
      }),
      JSON.parse(JSON.stringify(languageModelTools, withoutDescriptions)),
    );
    for (const { displayName, modelDescription, inputSchema } of languageModelTools) {
      const inputs = Object.values<{ readonly description: string }>(inputSchema.properties);
      for (const { description } of inputs) assert.match(description, /\.$/);
      assert.notEqual(said(displayName), '', displayName);
      assert.match(modelDescription, / Use it | decides each time|missing, never zero/);
    }
    const { signal } = new AbortController();
    await assert.rejects(callTool(tools.all, 'agentConsole_search', {}, signal), /no tool/);
    const names = tools.all.map(({ name }) => name);
    for (const { path: file } of chatSkills) {
      const skill = read(file);
      assert.equal(/^---\nname: (.+)\n/.exec(skill)?.[1], path.basename(path.dirname(file)));
      for (const [, name = ''] of skill.matchAll(/`([a-z]+_[a-z]+)`/g)) assert.ok(names.includes(name), name);
    }
  });
});

/** A call with the text in it, which `npm run l10n` finds by reading all code as a compiler does. */
const CALL =
  /\bl10n\.t\(\s*(?:\{\s*message:\s*)?('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)?/g;

describe('translatable strings', () => {
  it('are all in l10n/bundle.l10n.json, and nothing else is (npm run l10n)', () => {
    const texts = ['src', 'media']
      .flatMap(folder =>
        readdirSync(path.join(root, folder), { recursive: true }).map(file => `${folder}/${String(file)}`),
      )
      .filter(file => /\.tsx?$/.test(file))
      .flatMap(file => {
        const code = read(file);
        return [...code.matchAll(CALL)].map(({ 1: literal, index }) => {
          assert.ok(literal, `${file}: no text in ${code.slice(index, index + 80)}`);
          return runInNewContext(literal) as string;
        });
      });
    const stored = JSON.parse(read('l10n/bundle.l10n.json')) as object;
    assert.deepEqual(Object.keys(stored).sort(), [...new Set(texts)].sort());
  });
});
