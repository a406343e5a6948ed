import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { startSampleService, type SampleService } from '../fakes/sampleService';
import { PrivateNetwork } from '../fakes/privateNetwork';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { signedInTo } from './stage';
import { Workbench } from './workbench';

/** Names that mean something only behind the proxy. */
const API = 'api.agents.test';
const APP = 'app.agents.test';
const STRANGER = 'stranger.agents.test';

/** Elsewhere the system's store of certificates is no file that a test could name. */
const onLinux = process.platform === 'linux' ? it : it.skip;

describe('the network of an organization', () => {
  let service: SampleService;
  let network: PrivateNetwork;
  let folder: string;
  /** The authority of the organization, PEM. */
  let authority: string;
  let workbench: Workbench;

  before(async () => {
    service = await startSampleService({ pace: 0 });
    network = await PrivateNetwork.start(
      { [API]: service.baseUrl, [APP]: service.appUrl },
      { [STRANGER]: service.baseUrl },
    );
    folder = temporaryFolder('network');
    authority = path.join(folder, 'authority.pem');
    fs.writeFileSync(authority, network.authority);
  });
  after(async () => {
    await network.close();
    await service.close();
    removeFolder(folder);
  });
  beforeEach(() => {
    network.tunnels.length = 0;
  });
  afterEach(() => workbench.close());

  const went = (): string[] =>
    [...new Set(network.tunnels)].filter(host => host.includes('agents.test')).sort();

  onLinux('signs in through “http.proxy”, with an authority of the system’s store', async () => {
    workbench = await Workbench.open({
      settings: { 'http.proxy': network.proxyUrl },
      env: { SSL_CERT_FILE: authority },
    });
    await workbench.openContainer('Agent Console');
    await workbench.beginSignIn();
    await workbench.signIn(`https://${STRANGER}`, `https://${APP}`, service.apiKey);
    await workbench.quickInput.getByText(/untrusted, expired/).waitFor();
    await workbench.signIn('https://elsewhere.agents.test', `https://${APP}`, service.apiKey);
    await workbench.quickInput.getByText(/The proxy does not let requests through/).waitFor();
    assert.equal(service.requests.length, 0, 'nothing has arrived');
    await workbench.signIn(`https://${API}`, `https://${APP}`, service.apiKey);
    await workbench.row('Computers', 'active').waitFor();
    const asked = [API, APP, 'elsewhere.agents.test', STRANGER];
    assert.deepEqual(went(), asked.map(host => `${host}:443`).sort());
    for (const list of [/\/computers$/, /\/maturity-level-reports$/])
      assert.ok(service.requests.some(({ path: at }) => list.test(at)));
  });

  it('reads through the proxy of the environment, with an authority named there', async () => {
    workbench = await Workbench.open({
      settings: { 'http.systemCertificates': false },
      env: {
        ...signedInTo({ baseUrl: `https://${API}`, appUrl: `https://${APP}`, apiKey: service.apiKey }),
        https_proxy: network.proxyUrl,
        NODE_EXTRA_CA_CERTS: authority,
      },
    });
    await workbench.showOnly('Computers');
    await workbench.row('Computers', 'active').waitFor();
    assert.deepEqual(went(), [`${API}:443`]);
  });
});
