import { silentLog } from '../../fakes/log';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { KeyStore, parseKey, type Secrets } from '../../../src/connection/keys';
import { Emitter } from '../../../src/util/event';
import { brokenSecrets, SharedSecrets } from './support';

const here = { baseUrl: 'https://api.example.com', appUrl: 'https://app.example.com' };
const there = { baseUrl: 'https://api.example.org', appUrl: 'https://app.example.com' };

describe('the key store', () => {
  it('keeps a key for one pair of addresses only', async () => {
    const store = new KeyStore(new SharedSecrets().window(), silentLog());
    assert.equal(await store.store(here, 'k1'), 'kept');
    assert.equal(await store.read(here), 'k1');
    assert.equal(await store.read(there), undefined);
    assert.equal(await store.read({ ...here, appUrl: there.baseUrl }), undefined);
    await store.remove(here);
    assert.equal(await store.read(here), undefined);
  });

  it('holds a key that is not kept, until there is a newer one in the storage', async () => {
    const values = new Map([['agentConsole.key:https://api.example.com https://app.example.com', 'old']]);
    const secrets: Secrets = {
      get: name => Promise.resolve(values.get(name)),
      keys: () => Promise.resolve([...values.keys()]),
      store: () => Promise.reject(new Error('locked')),
      delete: () => Promise.resolve(),
      onDidChange: new Emitter<{ key: string }>().event,
    };
    const store = new KeyStore(secrets, silentLog());
    assert.equal(await store.store(here, 'mine'), 'untilClosed');
    assert.equal(await store.read(here), 'mine');
    for (const name of values.keys()) values.set(name, 'newer');
    assert.equal(await store.read(here), 'newer');
  });

  it('lets go of a held key when it is removed', async () => {
    const store = new KeyStore(brokenSecrets('forgets').window(), silentLog());
    assert.equal(await store.store(here, 'k'), 'untilClosed');
    await store.remove(here);
    assert.equal(await store.read(here), undefined);
  });

  it('reads nothing where the secret storage cannot be read, and logs no key', async () => {
    const log = silentLog();
    const secrets = { ...brokenSecrets('throws').window(), get: () => Promise.reject(new Error('locked')) };
    const store = new KeyStore(secrets, log);
    assert.equal(await store.store(here, 'secret-word'), 'untilClosed');
    assert.equal(await store.read(here), 'secret-word');
    assert.equal(await store.read(there), undefined);
    assert.ok(log.lines.length > 0 && log.lines.every(line => !line.includes('secret-word')));
  });

  it('speaks up for its own keys only', async () => {
    const secrets = new SharedSecrets();
    const window = secrets.window();
    const store = new KeyStore(window, silentLog());
    let heard = 0;
    const subscription = store.onDidChange(() => heard++);
    await window.store('somebody else', 'x');
    assert.equal(heard, 0);
    await store.store(here, 'k');
    assert.equal(heard, 1);
    subscription.dispose();
    await store.remove(here);
    assert.equal(heard, 1);
  });
});

describe('a key as it is typed', () => {
  it('is taken only if a header can carry it as it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string()), text => {
        const key = parseKey(text);
        if (!('ok' in key)) return;
        assert.match(key.ok, /^[\x21-\x7e]+$/);
        assert.equal(key.ok, text.trim());
        assert.equal(
          new Headers({ authorization: `Bearer ${key.ok}` }).get('authorization'),
          `Bearer ${key.ok}`,
        );
      }),
      { numRuns: 500 },
    );
  });
});
