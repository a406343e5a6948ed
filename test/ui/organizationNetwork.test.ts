import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { PrivateNetwork } from '../fakes/privateNetwork';
import { onStage, signedInTo, type Stage } from './stage';

/** Names that mean something only behind the proxy. */
const [API, APP, STRANGER, ELSEWHERE] = ['api', 'app', 'stranger', 'elsewhere'].map(
  name => `${name}.agents.test`,
) as [string, string, string, string];

let stage: Stage;
let network: PrivateNetwork;

/** Elsewhere the system's store of certificates is no file that a test could name. */
const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('the network of an organization', () => {
  onStage(
    opened => (stage = opened),
    { files: {}, signedIn: false },
    async ({ service: { baseUrl, appUrl }, parent }) => {
      network = await PrivateNetwork.start({ [API]: baseUrl, [APP]: appUrl }, { [STRANGER]: baseUrl });
      const authority = path.join(parent, 'authority.pem');
      fs.writeFileSync(authority, network.authority);
      return { settings: { 'http.proxy': network.proxyUrl }, env: { SSL_CERT_FILE: authority } };
    },
  );
  after(() => network.close());

  it('is gone through by “http.proxy”, with an authority of the system’s store', async () => {
    const { workbench, service } = stage;
    await workbench.openContainer('Agent Console');
    await workbench.beginSignIn();
    await workbench.signIn(`https://${STRANGER}`, `https://${APP}`, service.apiKey);
    await workbench.quickInput.getByText(/untrusted, expired/).waitFor();
    await workbench.signIn(`https://${ELSEWHERE}`, `https://${APP}`, service.apiKey);
    await workbench.quickInput.getByText(/The proxy lets no request through/).waitFor();
    assert.equal(service.requests.length, 0, 'nothing has arrived');
    await workbench.signIn(`https://${API}`, `https://${APP}`, service.apiKey);
    await workbench.row('Computers', 'active').waitFor();
    const went = new Set(network.tunnels.filter(host => host.includes('agents.test')));
    assert.deepEqual([...went].sort(), [API, APP, ELSEWHERE, STRANGER].map(host => `${host}:443`).sort());
    for (const list of [/\/computers$/, /\/maturity-level-reports$/])
      assert.ok(service.requests.some(({ path: at }) => list.test(at)));
  });
});

describe('the network of an organization, in the environment', () => {
  onStage(
    opened => (stage = opened),
    { files: {}, settings: { 'http.systemCertificates': false } },
    async ({ service: { baseUrl, appUrl, apiKey }, parent }) => {
      network = await PrivateNetwork.start({ [API]: baseUrl, [APP]: appUrl });
      const authority = path.join(parent, 'authority.pem');
      fs.writeFileSync(authority, network.authority);
      const behind = signedInTo({ baseUrl: `https://${API}`, appUrl: `https://${APP}`, apiKey });
      return { env: { ...behind, https_proxy: network.proxyUrl, NODE_EXTRA_CA_CERTS: authority } };
    },
  );
  after(() => network.close());

  it('is gone through by its proxy, with an authority named there', async () => {
    await stage.workbench.showOnly('Computers');
    await stage.workbench.row('Computers', 'active').waitFor();
    const went = new Set(network.tunnels.filter(host => host.includes('agents.test')));
    assert.deepEqual([...went], [`${API}:443`]);
  });
});
