import assert from 'node:assert/strict';
import * as http from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { networkReason, type ApiErrorReason } from '../../../src/api/errors';
import certificates from '../../fakes/certificates.json';
import { FaultServer, LoopbackServer } from '../../fakes/faultServer';
import { deadAddress } from '../connection/support';
import { clientOf, create, failureOf, list } from './support';

/** Of Node 24.14, and not known to the types. */
const { setGlobalProxyFromEnv } = http as unknown as {
  readonly setGlobalProxyFromEnv: (environment: { readonly https_proxy: string }) => () => void;
};

describe('the way to the service', () => {
  let known: string[];
  before(() => {
    known = getCACertificates('default');
    setDefaultCACertificates([...known, certificates.authority]);
  });
  after(() => setDefaultCACertificates(known));

  type Place = Pick<FaultServer, 'origin' | 'close'>;
  const at = (origin: string, close: Place['close'] = () => Promise.resolve()): Place => ({ origin, close });
  const secured = (cert: string) => () => FaultServer.start({ key: certificates.key, cert });
  const through = (proxy: string, close = () => Promise.resolve()): Place => {
    const restore = setGlobalProxyFromEnv({ https_proxy: proxy });
    return at('https://api.example.invalid', () => close().finally(restore));
  };
  const refusing = (status: number) => async () => {
    const server = http.createServer();
    server.on('connect', (_, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
    const proxy = await LoopbackServer.listen(server);
    return through(proxy.origin, () => proxy.close());
  };
  const withoutTls = async (): Promise<Place> => {
    const server = await FaultServer.start();
    return at(server.origin.replace('http:', 'https:'), () => server.close());
  };

  for (const [name, open, reason, code, retries] of [
    ['a port where nothing listens', async () => at(await deadAddress()), 'network', /^ECONNREFUSED$/, 2],
    ['a port no browser uses', () => at('http://127.0.0.1:6000'), 'network', /^bad port$/, 0],
    ['no TLS where https is expected', withoutTls, 'certificate', /./, 0],
    ['a certificate signed by itself', secured(certificates.self), 'certificate', /SELF_SIGNED|UNABLE_TO/, 0],
    ['one signed by a stranger', secured(certificates.strange), 'certificate', /SELF_SIGNED|UNABLE_TO/, 0],
    ['one that is out of date', secured(certificates.expired), 'certificate', /CERT_HAS_EXPIRED/, 0],
    ['one made for another host', secured(certificates.elsewhere), 'certificate', /ALTNAME_INVALID/, 0],
    ['a proxy that refuses with 407', refusing(407), 'proxy', /^Proxy response \(407\)$/, 0],
    ['a proxy that refuses with 403', refusing(403), 'proxy', /^Proxy response/, 2],
    ['a proxy that refuses with 502', refusing(502), 'proxy', /^Proxy response/, 2],
    ['a proxy that is not there', () => through('http://127.0.0.1:9'), 'proxy', /./, 2],
  ] as const)
    it(`${name}: nothing arrives, which is certain, and ${retries === 0 ? 'trying again would not help' : 'a GET is tried again'}`, async () => {
      const place = await open();
      try {
        const { api, waits } = clientOf(place);
        for (const call of [create, list]) {
          assert.equal(waits.length, 0, 'a POST is never tried again');
          const error = await failureOf(call(api));
          assert.deepEqual([error.kind, error.reason, error.status], ['unreachable', reason, undefined]);
          assert.match(error.code ?? '', code);
        }
        assert.equal(waits.length, retries);
        assert.deepEqual(place instanceof FaultServer ? place.hits : [], []);
      } finally {
        await place.close();
      }
    });

  it('reads codes wherever they stand', () => {
    const url = new URL('https://api.example.com/x');
    const cases: readonly (readonly [object, ApiErrorReason | undefined])[] = [
      [{ message: 'x', cause: { code: 'ENOTFOUND', hostname: 'api.example.com' } }, 'network'],
      [{ cause: { code: 'ENOTFOUND', hostname: 'proxy.example.com' } }, 'proxy'],
      [{ cause: { code: 'ECONNREFUSED', port: 443 } }, 'network'],
      [{ cause: { code: 'ECONNREFUSED', port: 3128 } }, 'proxy'],
      [{ cause: { code: 'ECONNRESET', port: 3128 } }, 'broken'],
      [{ cause: { code: 'ECONNREFUSED', errors: [{ code: 'ECONNREFUSED', port: 443 }] } }, 'network'],
      [{ cause: { code: 'ETIMEDOUT', syscall: 'connect', port: 443 } }, 'network'],
      [{ cause: { code: 'ETIMEDOUT', syscall: 'read' } }, 'broken'],
      [{ cause: { code: 'EHOSTUNREACH', syscall: 'write' } }, 'broken'],
      [{ cause: { cause: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' } } }, 'certificate'],
      [{ cause: { code: 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC' } }, 'broken'],
      [{ cause: { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' } }, 'certificate'],
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
