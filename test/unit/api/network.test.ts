import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import path from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

import { networkReason, type ApiErrorReason } from '../../../src/api/errors';
import { FaultServer, LoopbackServer } from '../../fakes/faultServer';
import certificates from '../../fakes/certificates.json';
import { clientOf, failureOf } from './support';

describe('the way to the service', () => {
  describe('certificates', () => {
    const { key, authority } = certificates;
    let known: string[];

    before(() => {
      known = getCACertificates('default');
      setDefaultCACertificates([...known, authority]);
    });
    after(() => setDefaultCACertificates(known));

    for (const [name, cert, code] of [
      ['signed by itself', certificates.self, /SELF_SIGNED|UNABLE_TO/],
      ['signed by somebody unknown', certificates.strange, /SELF_SIGNED|UNABLE_TO/],
      ['out of date', certificates.expired, /CERT_HAS_EXPIRED/],
      ['made for another host', certificates.elsewhere, /ALTNAME_INVALID/],
    ] as const)
      it(name, async () => {
        const server = await FaultServer.start({ key, cert });
        try {
          const { api, waits } = clientOf(server);
          for (const work of [() => api.list('computers'), () => api.createSession({ computerId: 'c1' })]) {
            const error = await failureOf(work());
            assert.deepEqual(
              [error.kind, error.reason],
              ['unreachable', 'certificate'],
              'certainly not sent',
            );
            assert.match(error.code ?? '', code);
          }
          assert.deepEqual([waits.length, server.hits.length], [0, 0], 'trying again would not help');
        } finally {
          await server.close();
        }
      });

    it('a trusted one works', async () => {
      const server = await FaultServer.start({ key, cert: certificates.leaf });
      try {
        server.answer({ kind: 'answer', body: { computers: [] } });
        assert.deepEqual((await clientOf(server).api.list('computers')).items, []);
      } finally {
        await server.close();
      }
    });

    it('no TLS where https is expected', async () => {
      const server = await FaultServer.start();
      try {
        const { api } = clientOf({ origin: server.origin.replace('http:', 'https:') });
        for (const work of [() => api.list('computers'), () => api.createSession({ computerId: 'c' })]) {
          const error = await failureOf(work());
          assert.deepEqual([error.kind, error.reason], ['unreachable', 'certificate']);
        }
      } finally {
        await server.close();
      }
    });
  });

  it('a port no browser uses', async () => {
    const { api } = clientOf({ origin: 'http://127.0.0.1:6000' });
    const error = await failureOf(api.createSession({ computerId: 'c' }));
    assert.deepEqual([error.kind, error.reason, error.code], ['unreachable', 'network', 'bad port']);
  });

  describe('a proxy', function () {
    /** The kinds and reasons a process with this proxy gets for a GET and a POST. */
    async function through(proxy: string): Promise<unknown> {
      const child = fork(path.join(__dirname, 'proxyChild.js'), {
        env: { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy },
        execArgv: [],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      return new Promise((resolve, reject) => {
        child.once('message', resolve);
        child.once('exit', code => reject(new Error(`exited with ${code ?? 'a signal'}`)));
      });
    }

    const refused = { get: ['unreachable', 'proxy'], post: ['unreachable', 'proxy'] };
    for (const status of [407, 403, 502])
      it(`that refuses with ${status}`, async () => {
        const server = createServer();
        server.on('connect', (_, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
        const proxy = await LoopbackServer.listen(server);
        try {
          assert.deepEqual(await through(proxy.origin), refused);
        } finally {
          await proxy.close();
        }
      });

    it('that is not there, by number and by name', async () => {
      for (const proxy of ['http://127.0.0.1:9', 'http://no-such-proxy.invalid:3128'])
        assert.deepEqual(await through(proxy), refused);
    });
  });

  it('reads codes wherever they stand', () => {
    const url = new URL('https://api.example.com/x');
    const cases: readonly (readonly [object, ApiErrorReason | undefined])[] = [
      [{ message: 'x', cause: { code: 'ENOTFOUND', hostname: 'api.example.com' } }, 'network'],
      [{ cause: { code: 'ENOTFOUND', hostname: 'proxy.example.com' } }, 'proxy'],
      [{ cause: { code: 'ECONNREFUSED', port: 443 } }, 'network'],
      [{ cause: { code: 'ECONNREFUSED', port: 3128 } }, 'proxy'],
      [{ cause: { code: 'ECONNREFUSED', errors: [{ code: 'ECONNREFUSED', port: 443 }] } }, 'network'],
      [{ cause: { code: 'ETIMEDOUT', syscall: 'connect', port: 443 } }, 'network'],
      [{ cause: { code: 'ETIMEDOUT', syscall: 'read' } }, 'broken'],
      [{ cause: { code: 'EHOSTUNREACH', syscall: 'write' } }, 'broken'],
      [{ cause: { cause: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' } } }, 'certificate'],
      [{ cause: { code: 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC' } }, 'broken'],
      [{ cause: { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' } }, 'certificate'],
      [{ message: 'net::ERR_SSL_BAD_RECORD_MAC_ALERT' }, 'broken'],
      [{ message: 'net::ERR_SSL_DECRYPT_ERROR_ALERT' }, 'broken'],
      [{ message: 'net::ERR_SSL_PROTOCOL_ERROR' }, 'certificate'],
      [{ message: 'net::ERR_CERT_AUTHORITY_INVALID' }, 'certificate'],
      [{ message: 'net::ERR_NETWORK_CHANGED' }, 'broken'],
      [{ message: 'net::ERR_PROXY_CONNECTION_FAILED' }, 'proxy'],
      [{ message: 'net::ERR_INTERNET_DISCONNECTED' }, 'network'],
      [{ message: 'something new' }, undefined],
    ];
    for (const [thrown, reason] of cases)
      assert.equal(networkReason(thrown, url).reason, reason, JSON.stringify(thrown));
    const loop: { cause?: unknown } = {};
    loop.cause = loop;
    assert.deepEqual(networkReason(loop, url), {});
  });
});
