import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import * as path from 'node:path';
import fc from 'fast-check';
import * as jsonc from 'jsonc-parser';
import { Installation, type InstalledFile } from '../../../src/hooks/installation';
import {
  cleanUp,
  filesIn,
  later,
  openFolder,
  settingsFile,
  temporaryFolder,
  temporaryPlace,
} from './support';

const events = ['Notification', 'Stop', 'SessionEnd'];
const foreign = `\ufeff{\r\n  // my model\r\n  "model": "x",\r\n  "hooks": { "Stop": [{"hooks":[{"type":"command","command":"mine"}]}] },\r\n}\r\n`;

type Scene = Awaited<ReturnType<typeof scene>>;

async function scene(text = foreign) {
  const place = await temporaryPlace();
  const root = temporaryFolder();
  const another = (): Installation => new Installation(place, filesIn(root));
  const installation = another();
  const file = path.join(temporaryFolder(), 'settings.json');
  fs.writeFileSync(file, text, { mode: 0o640 });
  return { place, installation, another, file, read: () => fs.readFileSync(file, 'utf8') };
}

const install = async ({ installation, file }: Scene, wanted = events): Promise<string | undefined> =>
  installation.carryOut(await installation.planInstall(file, wanted));
const uninstall = async ({ installation, file }: Scene): Promise<unknown> =>
  installation.carryOut(await installation.planUninstall(file));

describe('installing the hook', function () {
  afterEach(cleanUp);

  it('shows what it will write, writes just that, and takes it out byte for byte, also after other choices', async () => {
    const at = await scene();
    const plan = await at.installation.planInstall(at.file, events);
    assert.equal(at.read(), foreign, 'a plan changes nothing');
    await at.installation.carryOut(plan);
    assert.equal(at.read(), plan.text);
    assert.equal(fs.statSync(at.file).mode & 0o777, 0o640);
    assert.deepEqual(await at.installation.look(at.file), ['Stop', 'Notification', 'SessionEnd']);
    assert.equal((await at.installation.files())[0]?.file, at.file);
    const again = await at.installation.planInstall(at.file, events);
    assert.equal(again.text, again.read.text, 'nothing is done the second time');
    await install(at, ['Stop', 'SubagentStop']);
    assert.deepEqual(await at.installation.look(at.file), ['Stop', 'SubagentStop']);
    await uninstall(at);
    assert.equal(at.read(), foreign);
    assert.deepEqual(await at.installation.files(), []);
    assert.deepEqual(fs.readdirSync(path.dirname(at.file)), ['settings.json'], 'nothing is left beside it');
  });

  it('comes and goes byte for byte in 1,000 generated files', async () => {
    const { place, file } = await scene();
    const kept = new Map<string, InstalledFile>();
    const files = {
      load: () => Promise.resolve(kept),
      put: (id: string, record: InstalledFile) => Promise.resolve(void kept.set(id, record)),
      remove: (id: string) => Promise.resolve(void kept.delete(id)),
    };
    const installation = new Installation(place, files as never);
    // What a power cut would leave is not asked here, and the disk is what all this would wait for.
    const handle = await fsPromises.open(file);
    const kind = Object.getPrototypeOf(handle) as { sync: () => Promise<void> };
    await handle.close();
    const { sync } = kind;
    later(() => (kind.sync = sync));
    kind.sync = () => Promise.resolve();
    const comesAndGoes = async ([source, wanted]: readonly [string, string[]], index: number) => {
      const at = path.join(path.dirname(file), `${index}.json`);
      fs.writeFileSync(at, source);
      await installation.carryOut(await installation.planInstall(at, wanted));
      assert.equal((await installation.look(at))?.length, wanted.length);
      await installation.carryOut(await installation.planUninstall(at));
      assert.equal(fs.readFileSync(at, 'utf8'), source);
    };
    const one = fc.tuple(settingsFile, fc.subarray([...events, 'SubagentStop'], { minLength: 1 }));
    // Beside each other, they wait for the disk together.
    const several = fc.array(one, { minLength: 50, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(several, async all => {
        await Promise.all(all.map(comesAndGoes));
      }),
      { numRuns: 20, endOnFailure: true },
    );
  });

  it('changes nothing without a whole copy, and takes no part of one for it', async () => {
    const at = await scene();
    fs.rmdirSync(at.place.backups);
    fs.writeFileSync(at.place.backups, '');
    const error: unknown = await install(at).catch((reason: unknown) => reason);
    assert.match(String(error), /settings\.json: It could not be backed up: .* Nothing was changed/);
    assert.equal(at.read(), foreign);
    assert.deepEqual(await at.installation.files(), []);
    // Somebody has tidied up: the folder is made again.
    fs.rmSync(at.place.backups);
    const copy = await install(at);
    assert.equal(path.dirname(copy!), at.place.backups);
    assert.equal(fs.readFileSync(copy!, 'utf8'), foreign);
    assert.deepEqual(
      [copy!, at.place.backups].map(each => fs.statSync(each).mode & 0o777),
      [0o600, 0o700],
    );
    await uninstall(at);
    assert.equal(at.read(), foreign);
  });

  it('writes no hook of which it could keep no record, and keeps no record of a hook it could not write', async () => {
    const at = await scene();
    const full = (): Promise<never> => Promise.reject(new Error('The disk is full.'));
    const without = new Installation(at.place, Object.assign(filesIn(), { put: full }));
    await assert.rejects(install({ ...at, installation: without }), /The disk is full/);
    assert.equal(at.read(), foreign);
    const plan = await at.installation.planInstall(at.file, events);
    fs.chmodSync(at.file, 0o440);
    await assert.rejects(at.installation.carryOut(plan), /read-only/);
    assert.deepEqual(await at.installation.files(), []);
  });

  it('knows the way back also when bringing the hook up to date has failed', async () => {
    const at = await scene();
    await install(at);
    const installed = at.read();
    // As on a disk that is full.
    const { rename } = fsPromises;
    fsPromises.rename = (from, to) =>
      to === at.file ? Promise.reject(new Error('ENOSPC')) : rename(from, to);
    await assert
      .rejects(install(at, ['SubagentStop']), /could not be written: ENOSPC Nothing was changed/)
      .finally(() => (fsPromises.rename = rename));
    assert.equal(at.read(), installed);
    await uninstall(at);
    assert.equal(at.read(), foreign);
  });

  it('leaves nothing behind when two windows install at the same moment', async () => {
    const one = await scene('{"model":"x"}');
    const two = { ...one, installation: one.another() };
    const outcomes = await Promise.allSettled([install(one, ['Stop']), install(two, ['SessionEnd'])]);
    assert.ok(outcomes.filter(({ status }) => status === 'rejected').length <= 1, JSON.stringify(outcomes));
    await uninstall({ ...one, installation: one.another() });
    assert.equal(one.read(), '{"model":"x"}');
  });

  it('makes a file that is not there, and takes it away again', async () => {
    const at = await scene();
    fs.rmSync(at.file, { force: true });
    assert.equal(await install(at), undefined);
    assert.deepEqual(Object.keys((JSON.parse(at.read()) as { hooks: object }).hooks), events);
    assert.equal(fs.statSync(at.file).mode & 0o777, 0o600);
    // As in a folder that nothing may be removed from.
    const { rm } = fsPromises;
    fsPromises.rm = name =>
      name === at.file ? Promise.reject(new Error('EACCES')) : rm(name, { force: true });
    await assert
      .rejects(uninstall(at), /json: It could not be written: EACCES Nothing was changed\.$/)
      .finally(() => (fsPromises.rm = rm));
    await uninstall(at);
    assert.equal(fs.existsSync(at.file), false);
  });

  it('waits while another program holds the settings file, as happens on Windows', async () => {
    const at = await scene('{"model":"x"}');
    const { rename } = fsPromises;
    const { platform } = process;
    const be = (value: string): unknown => Object.defineProperty(process, 'platform', { value });
    const refusals = ['EPERM', 'EBUSY', 'EACCES'];
    fsPromises.rename = (from, to) => {
      const code = refusals.pop();
      be(code === undefined ? platform : 'win32');
      return code === undefined ? rename(from, to) : Promise.reject(Object.assign(new Error(code), { code }));
    };
    await install(at).finally(() => be(platform));
    fsPromises.rename = rename;
    assert.deepEqual(Object.keys((JSON.parse(at.read()) as { hooks: object }).hooks), events);
    assert.deepEqual(refusals, []);
  });

  it('is gone after removing it, and nothing of others with it, when it was there before, somebody changed the file or the copy is lost', async () => {
    const unknown = await scene('{}');
    await install(unknown, ['Stop']);
    const known = { ...unknown, installation: new Installation(unknown.place, filesIn()) };
    await install(known, ['Notification']);
    await uninstall(known);
    assert.equal(unknown.read().includes('agent-console-hook'), false, unknown.read());
    const edits: readonly ((text: string) => string)[] = [
      text => text,
      text => text.replace('"x"', '"z"'),
      text => text.replace('"model"', '/* new */ "model"'),
      text => text.replace('"mine"', '"mine"},{"type":"command","command":"other"'),
      text => JSON.stringify(JSON.parse(text), undefined, '\t'),
    ];
    const start = '{ "model": "x", "hooks": {"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]} }';
    for (const edit of edits)
      for (const isCopyLost of [false, true]) {
        const at = await scene(start);
        const copy = await install(at);
        fs.writeFileSync(at.file, edit(at.read()));
        if (isCopyLost) fs.rmSync(copy!);
        await uninstall(at);
        assert.deepEqual(jsonc.parse(at.read()), jsonc.parse(edit(start)));
        assert.equal(at.read().includes('/* new */'), edit(start).includes('/* new */'));
      }
  });

  it('refuses a file that is not what it seems or cannot be written, with the reason, and leaves it alone', async () => {
    const replaced = (at: Scene, make: () => void): void => {
      fs.rmSync(at.file);
      make();
    };
    const refused: readonly (readonly [(at: Scene) => void, RegExp])[] = [
      [at => fs.writeFileSync(at.file, foreign.slice(0, 60)), /Line 4 is not valid JSON/],
      [at => fs.writeFileSync(at.file, '{"hooks":{},\n"hooks":{}}'), /"hooks" twice \(line 2\)/],
      [at => fs.chmodSync(at.file, 0o440), /read-only/],
      [at => fs.linkSync(at.file, path.join(at.place.folder, 'same')), /a second name on this disk/],
      [at => fs.writeFileSync(at.file, Buffer.from([0x7b, 0xff, 0x7d])), /not UTF-8/],
      [at => replaced(at, () => fs.symlinkSync('/no/such/file', at.file)), /is a link to \/no\/such\/file/],
      [at => replaced(at, () => fs.mkdirSync(at.file)), /not a file/],
    ];
    for (const [spoil, sentence] of refused) {
      const at = await scene();
      spoil(at);
      const look = (): unknown => {
        const stats = fs.lstatSync(at.file, { throwIfNoEntry: false });
        return [stats?.mtimeMs, stats?.ino, stats?.isFile() ? at.read() : undefined];
      };
      const before = look();
      await assert.rejects(install(at), ({ message }: Error) => {
        assert.match(message, sentence);
        assert.match(message, /^.*settings\.json: .* Nothing was changed\.$/);
        return true;
      });
      assert.deepEqual(look(), before);
      assert.deepEqual(fs.readdirSync(at.place.backups), []);
      assert.deepEqual(await at.installation.files(), []);
    }
  });

  it('refuses a file whose folder leads out of the project', async () => {
    const at = await scene();
    const project = temporaryFolder();
    fs.symlinkSync(path.dirname(at.file), path.join(project, '.client'));
    openFolder(project);
    for (const name of ['settings.json', 'new.json'])
      await assert.rejects(
        install({ ...at, file: path.join(project, '.client', name) }),
        /is a link to .* Nothing was changed/,
      );
    assert.equal(at.read(), foreign);
  });

  it('refuses when the file has changed since the preview, and does not forget the way back', async () => {
    const at = await scene();
    await install(at);
    const plan = await at.installation.planInstall(at.file, ['Stop']);
    const changed = at.read().replace('"x"', '"y"');
    fs.writeFileSync(at.file, changed);
    await assert.rejects(at.installation.carryOut(plan), /Something else has changed it meanwhile/);
    assert.equal(at.read(), changed);
    fs.writeFileSync(at.file, changed.replace('"y"', '"x"'));
    await uninstall(at);
    assert.equal(at.read(), foreign);
    assert.deepEqual(fs.readdirSync(path.dirname(at.file)), ['settings.json']);
  });
});
