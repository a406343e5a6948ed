import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { namedFile } from '../../../src/hooks/flows';
import { scopeOf, type Scope } from '../../../src/hooks/scope';
import { cleanUp, temporaryFolder } from './support';

describe('whom a settings file counts for', () => {
  afterEach(cleanUp);

  const scene = (): { home: string; make: (...names: string[]) => string } => {
    const home = temporaryFolder();
    const make = (...names: string[]): string => {
      const folder = path.join(home, ...names);
      fs.mkdirSync(folder, { recursive: true });
      return path.join(folder, 'settings.json');
    };
    return { home, make };
  };
  const kind = async (scope: Promise<Scope>): Promise<string> => {
    const found = await scope;
    return found.kind === 'project' ? `project ${found.name}` : found.kind;
  };

  it('is the person in a hidden folder of the home alone', async () => {
    const { home, make } = scene();
    assert.equal(await kind(scopeOf(make('.client'), [], home)), 'own');
    assert.equal(await kind(scopeOf(make('.config', 'client'), [], home)), 'own');
    assert.equal(await kind(scopeOf(path.join(home, '.gone', 'settings.json'), [], home)), 'own');
    for (const file of [make('client'), make('work', '.client'), path.join(home, '.settings.json')])
      assert.equal(await kind(scopeOf(file, [], home)), 'elsewhere', file);
    const other = path.join(temporaryFolder(), '.client', 'settings.json');
    assert.equal(await kind(scopeOf(other, [], home)), 'elsewhere');
  });

  it('is a project below its folder, and below whatever is under version control', async () => {
    const { home, make } = scene();
    const file = make('.work', 'shop', '.client');
    const shop = { name: 'Shop', folder: path.join(home, '.work', 'shop') };
    assert.equal(await kind(scopeOf(file, [shop], home)), 'project Shop');
    assert.equal(await kind(scopeOf(file, [], home)), 'own');
    for (const name of ['.git', '.hg', '.svn']) {
      const mark = path.join(home, '.work', 'shop', name);
      fs.writeFileSync(mark, 'gitdir: elsewhere');
      assert.equal(await kind(scopeOf(file, [], home)), 'project shop', name);
      fs.rmSync(mark);
    }
  });

  it('is told by where the file really lies, however it is written', async () => {
    const { home, make } = scene();
    make('shop', '.client');
    const shop = { name: 'Shop', folder: path.join(home, 'shop') };
    fs.symlinkSync(path.join(home, 'shop', '.client'), path.join(home, '.client'));
    const linked = path.join(home, '.client', 'settings.json');
    assert.equal(await kind(scopeOf(linked, [shop], home)), 'project Shop');
    assert.equal(await kind(scopeOf(linked, [], home)), 'elsewhere');
    fs.symlinkSync(home, path.join(home, 'again'));
    const through = { name: 'Shop', folder: path.join(home, 'again', 'shop') };
    assert.equal(await kind(scopeOf(linked, [through], home)), 'project Shop');
    const lower = (text: string): string => text.toLowerCase();
    const loud = path.join(home, 'SHOP', '.client', 'settings.json');
    assert.equal(await kind(scopeOf(loud, [shop], home, lower)), 'project Shop');
    assert.equal(await kind(scopeOf(path.join(home.toUpperCase(), '.x', 'y.json'), [], home, lower)), 'own');
  });

  it('is asked of a whole path only', () => {
    assert.equal(namedFile({}), undefined);
    assert.equal(
      namedFile({ file: '/home/../home/me/.client/settings.json' }),
      '/home/me/.client/settings.json',
    );
    for (const file of ['settings.json', './settings.json', '~/.client/settings.json', '', 7, null])
      assert.throws(() => namedFile({ file }), /whole path/, String(file));
  });
});
