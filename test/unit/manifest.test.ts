import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import * as z from 'zod/mini';
import { commentController, commands, panels, views } from '../../src/contributions';
import { callTool } from '../../src/tools';
import { open } from './tools/scene';
import { cleanUp } from '../fakes/cleanUp';

interface Manifest {
  readonly activationEvents: readonly string[];
  readonly icon: string;
  readonly main: string;
  readonly engines: { readonly vscode: string };
  readonly devDependencies: Record<string, string>;
  readonly contributes: {
    readonly commands: readonly { command: string; title: string }[];
    readonly menus: Record<string, readonly { command: string; when?: string }[]>;
    readonly keybindings: readonly object[];
    readonly views: Readonly<Record<string, readonly { id: string }[]>>;
    readonly viewsWelcome: readonly { view: string; contents: string; when: string }[];
    readonly walkthroughs: readonly {
      readonly steps: readonly {
        readonly id: string;
        readonly description: string;
        readonly media: { readonly svg: string; readonly altText: string };
        readonly completionEvents: readonly string[];
      }[];
    }[];
    readonly languageModelTools: readonly {
      readonly displayName: string;
      readonly modelDescription: string;
      readonly inputSchema: {
        readonly properties: Readonly<Record<string, { readonly description: string }>>;
      };
    }[];
    readonly chatSkills: readonly { readonly path: string }[];
    readonly configuration: readonly {
      readonly title: string;
      readonly properties: Record<
        string,
        { scope?: string; type?: string; default?: unknown; enum?: unknown[]; markdownDescription: string }
      >;
    }[];
  };
}

const root = process.env['AGENT_CONSOLE_ROOT']!;
const text = readFileSync(path.join(root, 'package.json'), 'utf8');
const manifest = JSON.parse(text) as Manifest;
const strings = JSON.parse(readFileSync(path.join(root, 'package.nls.json'), 'utf8')) as Record<
  string,
  string
>;
const declaredSettings = manifest.contributes.configuration.flatMap(each => Object.entries(each.properties));
const commandIds = Object.values(commands).flatMap(feature => Object.values<string>(feature));

describe('package.json', () => {
  it('declares exactly the commands that contributions.ts registers', () => {
    assert.deepEqual(manifest.contributes.commands.map(each => each.command).sort(), [...commandIds].sort());
    assert.equal(new Set(commandIds).size, commandIds.length);
  });

  it('declares exactly the views, and restores the panels', () => {
    assert.deepEqual(
      Object.values(manifest.contributes.views)
        .flatMap(container => container.map(view => view.id))
        .sort(),
      Object.values(views).sort(),
    );
    assert.deepEqual(
      [...manifest.activationEvents].sort(),
      ['onStartupFinished', 'onUri', ...Object.values(panels).map(panel => `onWebviewPanel:${panel}`)].sort(),
    );
  });

  it('declares no setting that settings.ts does not read, all out of reach of a workspace', () => {
    const reader = readFileSync(path.join(root, 'src/settings.ts'), 'utf8');
    for (const [id, setting] of declaredSettings) {
      assert.ok(reader.includes(`'${id.replace(/^agentConsole\./, '')}'`), id);
      assert.equal(setting.scope, 'application', id);
    }
  });

  it('gives every setting a default of the type it declares, for text of the words it allows', () => {
    for (const [id, setting] of declaredSettings) {
      assert.ok('default' in setting, id);
      const type = Array.isArray(setting.default) ? 'array' : typeof setting.default;
      assert.equal(setting.default === null ? 'null' : type, setting.type, id);
      assert.ok(setting.enum?.includes(setting.default) ?? true, id);
    }
  });

  it('has settings in sections, the connection last, each with a name for people', () => {
    const { configuration } = manifest.contributes;
    assert.deepEqual(
      configuration.map(({ title }) => strings[title.slice(1, -1)]),
      ['Sessions', 'Chat', 'Readiness', 'Usage', 'Hooks', 'Notifications', 'Tools', 'Connection'],
    );
    for (const [id, { markdownDescription }] of declaredSettings)
      assert.match(strings[markdownDescription.slice(1, -1)] ?? '', /^\*\*[A-Z][^*]+\*\*/, id);
  });

  /** The commands of the palette, of Agent Console and no other, where these context keys are set. */
  const palette = (context: Record<string, unknown>): string[] => {
    const whens = new Map(
      manifest.contributes.menus['commandPalette']?.map(({ command, when }) => [command, when]),
    );
    const isTrue = (term: string): boolean => {
      const [, not, key = '', operator, value] = /^(!?)([\w.]+)(?: (==|!=) (.+))?$/.exec(term) ?? [];
      // Whatever view, panel and editor can add to the palette is there.
      if (not === '' && !key.startsWith('agentConsole.') && key !== 'false') return true;
      if (key === '') return assert.fail(term);
      if (operator !== undefined) return (context[key] === value) === (operator === '==');
      return key !== 'false' && Boolean(context[key]) === (not === '');
    };
    const isShown = (when: string): boolean =>
      when.split(' || ').some(terms => terms.split(' && ').every(isTrue));
    return commandIds.filter(id => isShown(whens.get(id) ?? '!nothing'));
  };

  it('offers six commands in the palette before sign-in, and then at most twenty-five at a time', () => {
    const { connection, console: general, hooks } = commands;
    const first = [
      ...[general.showLog, general.copyDiagnostics, connection.signIn, connection.useSampleService],
      ...[hooks.install, hooks.doctor],
    ].sort();
    assert.deepEqual(palette({}).sort(), first);
    assert.deepEqual(palette({ 'agentConsole.connection': 'signedOut' }).sort(), first);
    for (const connection of ['signedIn', 'keyRejected']) {
      const then = palette({ 'agentConsole.connection': connection });
      assert.ok(then.length <= 25, `${then.length}: ${then.join(' ')}`);
    }
  });

  it('has at most 46 commands and 8 for what agents change and for other programs, 20 settings and 4 keys', () => {
    const { keybindings } = manifest.contributes;
    const counts = [commandIds.length, declaredSettings.length, keybindings.length];
    assert.ok(
      counts.every((count, index) => count <= ([54, 20, 4][index] ?? 0)),
      counts.join(' '),
    );
  });

  it('points menus, welcome buttons and views only at what exists', () => {
    const menus = Object.values(manifest.contributes.menus).flat();
    for (const item of menus) assert.ok(commandIds.includes(item.command), item.command);
    const ids: readonly string[] = Object.values(views);
    for (const welcome of manifest.contributes.viewsWelcome) {
      assert.ok(ids.includes(welcome.view));
      const contents = strings[welcome.contents.slice(1, -1)] ?? '';
      for (const [, command] of contents.matchAll(/\(command:([^)]+)\)/g))
        assert.ok(commandIds.includes(command!), command);
    }
    const allowed = new Set([
      ...ids,
      ...ids.map(id => `${id}.visible`),
      ...Object.values<string>(panels),
      ...declaredSettings.map(([id]) => id),
      'agentConsole.connection',
      'agentConsole.environment',
      'agentConsole.knownService',
      'agentConsole.draftComments',
      commentController,
    ]);
    const whens = [...menus, ...manifest.contributes.viewsWelcome].map(item => item.when ?? '');
    for (const [key] of whens.join(' ').matchAll(/agentConsole\.[\w.]+/g)) assert.ok(allowed.has(key), key);
  });

  it('leads the walkthrough only to what exists, and each step of it can be completed', () => {
    const focus = Object.values(views).map(view => `${view}.focus`);
    const ignored = readFileSync(path.join(root, '.vscodeignore'), 'utf8');
    assert.match(ignored, /^!media\/walkthrough\/\*\.svg$/m);
    for (const { id, description, media, completionEvents } of manifest.contributes.walkthroughs.flatMap(
      ({ steps }) => steps,
    )) {
      assert.equal(media.svg, `media/walkthrough/${id}.svg`);
      // Each is drawn in the colours of the theme.
      assert.match(readFileSync(path.join(root, media.svg), 'utf8'), /fill="var\(--vscode-/);
      const contents = strings[description.slice(1, -1)] ?? '';
      const links = [...contents.matchAll(/\(command:([^)]+)\)/g)].map(match => match[1] ?? '');
      assert.ok(links.length > 0, id);
      for (const link of links) assert.ok([...commandIds, ...focus].includes(link), link);
      assert.ok(completionEvents.length > 0, id);
      for (const event of completionEvents) {
        const [, kind, what = ''] = /^(onCommand|onView|onContext):(.+)$/.exec(event) ?? [];
        const known: readonly string[] = kind === 'onCommand' ? commandIds : Object.values(views);
        if (kind === 'onContext') assert.equal(what, 'agentConsole.connection == signedIn');
        else assert.ok(known.includes(what), event);
      }
    }
  });

  it('takes every string a person sees from package.nls.json, and no string is left over', () => {
    const used = [...text.matchAll(/"%([^%"]+)%"/g)].map(match => match[1]!);
    assert.deepEqual([...new Set(used)].sort(), Object.keys(strings).sort());
  });

  it('offers chats the tools there are, as they are, those that write only where a person has turned that on', async () => {
    const { languageModelTools, chatSkills } = manifest.contributes;
    const { tools } = open();
    assert.deepEqual(
      tools.all.map(({ name, title, description, input, writes }) => {
        const { $schema, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
        assert.match($schema ?? '', /2020-12/);
        const when = writes ? { when: 'config.agentConsole.tools.write' } : {};
        const named = { name: `agentConsole_${name}`, toolReferenceName: `agentConsole_${name}` };
        const words = { displayName: title, modelDescription: description };
        return { ...named, ...words, canBeReferencedInPrompt: true, inputSchema, ...when };
      }),
      JSON.parse(
        JSON.stringify(languageModelTools, (name, each: unknown) =>
          name === 'description' ? undefined : each,
        ),
      ),
    );
    for (const { displayName, modelDescription, inputSchema } of languageModelTools) {
      for (const { description } of Object.values(inputSchema.properties)) assert.match(description, /\.$/);
      assert.ok(displayName.slice(1, -1) in strings, displayName);
      assert.match(modelDescription, / Use it | decides each time|missing, never zero/);
    }
    await assert.rejects(
      callTool(tools.all, 'agentConsole_search', {}, new AbortController().signal),
      /no tool/,
    );
    for (const { path: file } of chatSkills) {
      const skill = readFileSync(path.join(root, file), 'utf8');
      assert.equal(/^---\nname: (.+)\n/.exec(skill)?.[1], path.basename(path.dirname(file)));
      for (const [, name] of skill.matchAll(/`([a-z]+_[a-z]+)`/g))
        assert.ok(
          tools.all.some(tool => tool.name === name),
          name,
        );
    }
    await cleanUp();
  });

  it('hides commands that need an argument from the palette', () => {
    const hidden = (manifest.contributes.menus['commandPalette'] ?? []).filter(item => item.when === 'false');
    assert.ok(hidden.some(item => item.command === commands.chat.send));
  });

  it('names files that exist, and the editor version its types are of', () => {
    assert.ok(existsSync(path.join(root, manifest.icon)));
    assert.equal(`^${manifest.devDependencies['@types/vscode'] ?? ''}`, manifest.engines.vscode);
  });
});

/** A call with the text in it, which `npm run l10n` finds by reading all code as a compiler does. */
const CALL =
  /\bl10n\.t\(\s*(?:\{\s*message:\s*)?('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)?/g;

describe('translatable strings', () => {
  it('are all in l10n/bundle.l10n.json, and nothing else is (npm run l10n)', () => {
    const texts = ['src', 'media'].flatMap(folder =>
      readdirSync(path.join(root, folder), { recursive: true })
        .map(String)
        .filter(file => /\.tsx?$/.test(file))
        .flatMap(file => {
          const code = readFileSync(path.join(root, folder, file), 'utf8');
          return [...code.matchAll(CALL)].map(({ 1: literal, index }) => {
            assert.ok(literal, `${file}: no text in ${code.slice(index, index + 80)}`);
            return runInNewContext(literal) as string;
          });
        }),
    );
    const stored = JSON.parse(readFileSync(path.join(root, 'l10n/bundle.l10n.json'), 'utf8')) as object;
    assert.deepEqual(Object.keys(stored).sort(), [...new Set(texts)].sort());
  });
});
