import assert from 'node:assert/strict';
import * as path from 'node:path';
import { mock } from 'node:test';
import * as fc from 'fast-check';
import type * as vscode from 'vscode';
import { EMPTY, outboxRecords } from '../../../src/chat/outbox/record';
import { Places, readPageState } from '../../../src/chat/panel/places';
import { isPanel } from '../../../src/webview/page';
import { Emitter } from '../../../src/util/lifecycle';
import { acts, answers, TabInputWebview, Uri } from '../../fakes/vscode';
import { chatOf, pageOf, scene, later, answering, left, memoryOf, temporaryFolder, until } from './support';

const turn = () => new Promise(resolve => setImmediate(resolve));

const emptyPanel = () => pageOf('panel').place as vscode.WebviewPanel;

function makingPanels(createWebviewPanel: () => unknown = emptyPanel): void {
  answering({ tabGroups: { all: [] }, createWebviewPanel });
}

function placesOf(location: 'panel' | 'view', memory = memoryOf()) {
  const made: string[] = [];
  const nothing = (): void => undefined;
  const places = new Places({
    extensionUri: Uri.file('/extension') as unknown as vscode.Uri,
    sessions: {
      get: sessionId => ({ sessionId, title: `Title of ${sessionId}`, status: 'idle' }),
      all: () => ['s1', 's2', 's3', 's4', 's4'].map(id => ({ title: `Title of ${id}` })),
    },
    ...{ serviceId: () => 'service', location: () => location, memory },
    makePanel: (place, conversation) => {
      made.push(`${isPanel(place) ? 'panel' : 'view'} ${conversation.sessionId}`);
      let isDisposed = false;
      if (isPanel(place)) place.onDidDispose(() => (isDisposed = true));
      const panel = {
        ...{ conversation, panel: place, isActive: true },
        ...{ reveal: nothing, dispose: nothing, takeCursor: nothing },
        get isDisposed() {
          return isDisposed;
        },
      };
      return panel as never;
    },
  });
  later(() => places.dispose());
  const resolve = (): vscode.WebviewOptions => {
    const { place } = pageOf('view');
    places.resolveView(place as vscode.WebviewView);
    return place.webview.options;
  };
  return { places, made, resolve };
}

it('a session takes the place of its tab of an earlier window, in the background or restored later; nobody knows which of several it is, or of which of several sessions', async () => {
  const did: string[] = [];
  const all = { group: { viewColumn: 2 }, input: new TabInputWebview() };
  const tab = (id: string, isActive = false) => ({ ...all, label: `Title of ${id}`, isActive });
  const tabs = [tab('s1'), tab('s2', true), tab('s3'), tab('s3'), tab('s4')];
  const close = ({ label }: vscode.Tab) => Promise.resolve(did.push(`closed ${label.slice(-2)}`) > 0);
  const createWebviewPanel = (_type: string, title: string, column: number) =>
    did.push(`made ${title.slice(-2)} in ${column}`) && emptyPanel();
  answering({ tabGroups: { all: [{ tabs }], close }, createWebviewPanel });
  const { places } = placesOf('panel');
  const shown = await places.show('s1');
  for (const id of ['s2', 's3', 's4']) await places.show(id);
  assert.equal(did.join(), 'closed s1,made s1 in 2,made s2 in -1,made s3 in -1,made s4 in -1');
  places.restorePanel(emptyPanel(), { serviceId: 'service', sessionId: 's1', title: 'Older title' });
  assert.equal(shown.isDisposed, true);
});

describe('the view as the place of chats', () => {
  for (const isKnown of [true, false])
    it(`that ${isKnown ? 'does not come' : 'cannot be asked for'} leaves its session to a panel, and does not show it beside that when it comes later`, async () => {
      const { places, made, resolve } = placesOf('view');
      makingPanels();
      if (!isKnown) answers.set('executeCommand', Promise.reject(new Error('no such command')));
      mock.timers.enable({ apis: ['setTimeout'] });
      later(() => {
        answers.clear();
        mock.timers.reset();
      });
      const shown = places.show('s1');
      await turn();
      if (isKnown) mock.timers.tick(10_000);
      await shown;
      resolve();
      assert.deepEqual(made, ['panel s1']);
    });

  it('runs no script before a session is selected; shows that again where it was moved to, and after a reload', () => {
    const memory = memoryOf();
    const [now, later] = [placesOf('view', memory), placesOf('view', memory)];
    const { enableScripts, localResourceRoots } = now.resolve();
    assert.deepEqual([enableScripts, String(localResourceRoots)], [false, 'file:///extension/dist/pages']);
    now.places.follow('s1');
    for (const { resolve } of [now, later]) resolve();
    assert.deepEqual([now.made, later.made], [['view s1', 'view s1'], ['view s1']]);
  });
});

describe('a panel', () => {
  it('that was closed is not kept in memory', async () => {
    const tabs = [emptyPanel(), emptyPanel()];
    makingPanels(() => tabs.shift());
    const [tab] = tabs;
    const { places } = placesOf('panel');
    const shown = new WeakRef(await places.show('s1'));
    await places.show('s2');
    assert.equal(left([shown]).length, 1);
    tab?.dispose();
    await turn();
    assert.equal(left([shown]).length, 0);
  });

  it('is restored by what a page has kept, which may be old or hostile, and is never trusted', () => {
    const kept = { sessionId: 's', serviceId: 'ab12', title: 't' };
    assert.deepEqual(readPageState(kept), kept);
    const field = fc.oneof(fc.string(), fc.anything(), fc.constantFrom('', '../../x'));
    const fields = fc.record({ sessionId: field, serviceId: field, title: field });
    fc.assert(
      fc.property(fc.oneof(fields, fc.anything()), state => {
        const { serviceId, sessionId } = readPageState(state) ?? kept;
        assert.match(serviceId, /^[a-z0-9_-]+$/);
        assert.notEqual(sessionId, '');
      }),
      { numRuns: 1_000, examples: [[{ ...kept, serviceId: '../../etc' }], [{ ...kept, sessionId: '' }]] },
    );
  });
});

it('the chat in front gets what is attached where it is, also as soon as it is asked for, and when chats are opened elsewhere by now; find and export are of it, of whatever service it is', async () => {
  const it = await scene();
  let location: 'panel' | 'view' = 'view';
  const exported: string[] = [];
  const show = (id: string) => Promise.resolve(void exported.push(id));
  const chat = chatOf(it, { location: () => location }, show);
  const { place, begun, posted, ...page } = pageOf('view');
  answering({ createWebviewPanel: () => assert.fail('a panel is made') });
  acts.length = 0;
  const opened = chat.commands.open(it.sessionId);
  await until(() => acts.includes('commands.executeCommand'));
  location = 'panel';
  const attached = chat.commands.attachFiles(Uri.file(path.join(temporaryFolder(), 'a.txt')));
  await turn();
  await chat.resolveView(place as vscode.WebviewView);
  await opened;
  begun();
  await attached;
  await page.until(() => JSON.stringify(posted).includes('a.txt'));
  const other = pageOf('panel');
  const kept = { serviceId: 'another', sessionId: it.sessionId, title: 'A title' };
  void chat.restorePanel(other.place as vscode.WebviewPanel, kept);
  other.begun();
  await chat.commands.find();
  await chat.commands.export();
  assert.deepEqual([page.told('find'), other.told('find')], [undefined, {}]);
  assert.deepEqual(exported, [`another\n${it.sessionId}`]);
});

it('a message that is put into a composer goes with its files into that of its session, wherever the person has gone meanwhile', async () => {
  const it = await scene();
  const { storage, sessionId } = it;
  const other = await it.client.createSession({ computerId: it.computer.computerId });
  const selected = new Emitter<readonly unknown[]>();
  const chat = chatOf(it, { onDidSelect: selected.event });
  const { place, begun, posted } = pageOf('view');
  await chat.resolveView(place as vscode.WebviewView);
  const draftOf = async (id: string) => {
    await chat.flush();
    const { draft } = (await storage.collection(outboxRecords('service1')).read(id)) ?? EMPTY;
    return [draft.text, draft.attachments.map(({ uri }) => path.basename(uri))];
  };
  const file = Uri.file(path.join(temporaryFolder(), 'a.txt')) as unknown as vscode.Uri;
  const shown = new Promise(show => Object.assign(place, { show }));
  const done = chat.prefill({ sessionId, text: 'For the first', files: [file] });
  await shown;
  selected.fire([{ sessionId: other.sessionId }]);
  begun();
  assert.equal(await done, true);
  assert.deepEqual(await draftOf(sessionId), ['For the first', ['a.txt']]);
  assert.deepEqual(await draftOf(other.sessionId), ['', []]);
  assert.ok(!JSON.stringify(posted).includes('For the first'), 'the page is of another session');
  const large = { name: 'a.patch', size: 1_025, read: () => assert.fail('it is read') };
  const refused = chat.prefill({ sessionId: other.sessionId, text: 'Apply a.patch', made: [large] });
  await assert.rejects(refused, /limit/);
  assert.deepEqual(await draftOf(other.sessionId), ['', []], 'the text of a file that cannot go stays away');
});
