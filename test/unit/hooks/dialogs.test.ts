import assert from 'node:assert/strict';
import path from 'node:path';
import { Dialogs } from '../../../src/hooks/install/dialogs';
import { hookPlace } from '../../../src/hooks/install/place';
import { silentLog } from '../../fakes/log';
import { answers, told } from '../../fakes/vscode';
import { cleanUp, shipped, temporaryFolder } from './support';

describe('repairing the hooks', () => {
  beforeEach(() => told.splice(0));
  afterEach(async () => {
    answers.clear();
    await cleanUp();
  });

  const repair = async (files: readonly string[], answer: string | undefined): Promise<readonly string[]> => {
    answers.set('showInformationMessage', Promise.resolve(answer as undefined));
    const written: string[] = [];
    const plan = (file: string) => ({
      read: { file, text: '{}', stats: undefined },
      text: '{"hooks":{}}',
      record: undefined,
    });
    const dialogs = new Dialogs({
      log: silentLog(),
      installation: {
        look: () => Promise.resolve(undefined),
        files: () =>
          Promise.resolve(files.map(file => ({ file, events: ['Stop'], commands: [], written: '', at: 0 }))),
        planInstall: file => Promise.resolve(plan(file)),
        planUninstall: file => Promise.resolve(plan(file)),
        carryOut: ({ read }) => {
          written.push(read.file);
          return Promise.resolve(undefined);
        },
      },
      place: hookPlace(path.join(temporaryFolder(), 'hooks')),
      shipped,
      namedFile: () => '',
      storeFile: () => Promise.resolve(),
    });
    await dialogs.repair();
    dialogs.dispose();
    return written;
  };

  it('says so only of files that were written', async () => {
    assert.deepEqual(await repair(['/home/me/settings.json'], 'Write change'), ['/home/me/settings.json']);
    assert.match(told.at(-1) ?? '', /^Repaired the hooks in \/home\/me\/settings\.json\.$/);
    told.splice(0);
    assert.deepEqual(await repair(['/home/me/settings.json'], 'Cancel'), []);
    assert.deepEqual(told, ['Repair the hooks in settings.json?']);
    told.splice(0);
    assert.deepEqual(await repair([], undefined), []);
    assert.deepEqual(told, ['No hooks have been installed here.']);
  });
});
