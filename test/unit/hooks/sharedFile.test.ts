import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { sharedPlace } from '../../../src/hooks/install/dialogs';
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

  it('is the person in a hidden folder of the home alone', async () => {
    const { home, make } = scene();
    assert.equal(await sharedPlace(make('.client'), [], home), undefined);
    assert.equal(await sharedPlace(make('.config', 'client'), [], home), undefined);
    assert.equal(await sharedPlace(path.join(home, '.gone', 'settings.json'), [], home), undefined);
    for (const file of [make('client'), make('work', '.client'), path.join(home, '.settings.json')])
      assert.equal(await sharedPlace(file, [], home), path.dirname(file));
    const other = path.join(temporaryFolder(), '.client', 'settings.json');
    assert.equal(await sharedPlace(other, [], home), path.dirname(other));
  });

  it('is a project below its folder, and below whatever is a repository', async () => {
    const { home, make } = scene();
    const file = make('.work', 'shop', '.client');
    const shop = path.join(home, '.work', 'shop');
    assert.equal(await sharedPlace(file, [shop], home), shop);
    assert.equal(await sharedPlace(file, [], home), undefined);
    fs.writeFileSync(path.join(shop, '.git'), 'gitdir: elsewhere');
    assert.equal(await sharedPlace(file, [], home), shop);
  });

  it('is known from where the file really is, however it is written', async () => {
    const { home, make } = scene();
    make('shop', '.client');
    const shop = path.join(home, 'shop');
    fs.symlinkSync(path.join(shop, '.client'), path.join(home, '.client'));
    const linked = path.join(home, '.client', 'settings.json');
    assert.equal(await sharedPlace(linked, [shop], home), shop);
    assert.equal(await sharedPlace(linked, [], home), path.join(shop, '.client'));
    fs.symlinkSync(home, path.join(home, 'again'));
    const through = path.join(home, 'again', 'shop');
    assert.equal(await sharedPlace(linked, [through], home), through);
    const lower = (text: string): string => text.toLowerCase();
    assert.equal(
      await sharedPlace(path.join(home, 'SHOP', '.client', 'settings.json'), [shop], home, lower),
      shop,
    );
    const loud = path.join(home.toUpperCase(), '.x', 'y.json');
    assert.equal(await sharedPlace(loud, [], home, lower), undefined);
  });
});
