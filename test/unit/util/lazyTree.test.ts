import assert from 'node:assert/strict';
import { FindInTrees, type FindHost } from '../../../src/util/findInTrees';
import { LazyTree } from '../../../src/util/lazyTree';
import { Emitter } from '../../../src/util/event';
import { acts } from '../../fakes/vscode';

describe('a tree while find is in use', () => {
  let commands: string[];
  let edit: Emitter<undefined>;
  let find: FindInTrees;
  let changed: Emitter<string | string[] | undefined>;
  let told: (string | string[] | undefined | null)[];

  const open = async (host: Partial<FindHost> = {}): Promise<void> => {
    commands = [];
    edit = new Emitter();
    find = new FindInTrees({
      run: async command => {
        await Promise.resolve();
        commands.push(command);
      },
      onDidEdit: listener => edit.event(listener),
      longestMs: 60_000,
      ...host,
    });
    changed = new Emitter();
    told = [];
    const inner = {
      onDidChangeTreeData: changed.event,
      getChildren: (row?: string) => (row === undefined ? ['a', 'b'] : []),
      getTreeItem: (row: string) => ({ id: row }),
    };
    const load = (): Promise<typeof inner> => Promise.resolve(inner);
    const tree = new LazyTree(load, find, 'test.openRow');
    tree.onDidChangeTreeData(rows => told.push(rows));
    assert.deepEqual(await tree.getChildren(), ['a', 'b']);
  };
  afterEach(() => find.dispose());

  it('tells its changes at once but while find is open, and then all together', async () => {
    await open();
    changed.fire(['a']);
    assert.deepEqual(told.splice(0), [['a']]);
    await find.open();
    changed.fire(['a']);
    changed.fire('b');
    changed.fire(['b', 'a']);
    assert.deepEqual(told, [], 'no row is drawn while somebody types in the box');
    await find.close();
    assert.deepEqual(commands, ['list.find', 'list.closeFind']);
    assert.deepEqual(told.splice(0), [['a', 'b']]);
    changed.fire(['b']);
    assert.deepEqual(told, [['b']]);
  });

  it('is drawn as a whole when any of the changes was of the whole', async () => {
    await open();
    await find.open();
    changed.fire(['a']);
    changed.fire(undefined);
    changed.fire(['b']);
    find.end();
    assert.deepEqual(told, [undefined]);
  });

  it('opens the box only once the rows that are being drawn are there', async () => {
    await open();
    changed.fire(['a']);
    const begun = Date.now();
    const opened = find.open();
    assert.equal(find.isInUse, true, 'nothing more is drawn from now on');
    assert.deepEqual(commands, []);
    await opened;
    assert.ok(Date.now() - begun >= 390);
    assert.deepEqual(commands, ['list.find']);
  });

  it('does not wait for ever for somebody who has left the box without a word, or works elsewhere', async () => {
    await open({ longestMs: 20 });
    const ended = new Promise<void>(resolve => find.onDidEnd(resolve));
    await find.open();
    changed.fire(['a']);
    await ended;
    assert.deepEqual(told.splice(0).flat(), ['a']);

    await open();
    await find.open();
    changed.fire(['b']);
    edit.fire(undefined);
    assert.deepEqual(told, [['b']]);
    assert.equal(edit.hasListeners, false);
  });
});

describe('a row of a tree', () => {
  interface Node {
    readonly name: string;
  }
  const [a, b]: readonly Node[] = [{ name: 'a' }, { name: 'b' }];
  let find: FindInTrees;
  beforeEach(() => {
    acts.length = 0;
    find = new FindInTrees({
      run: () => Promise.resolve(),
      onDidEdit: () => ({ dispose: () => undefined }),
      longestMs: 1,
    });
  });
  afterEach(() => find.dispose());

  const treeOf = (
    command: (node: Node) => { command: string; title: string; arguments?: unknown[] } | undefined,
  ) =>
    new LazyTree<Node>(
      () =>
        Promise.resolve({
          getChildren: () => [a!, b!],
          getTreeItem: node => ({
            id: node.name,
            ...(command(node) === undefined ? {} : { command: command(node)! }),
          }),
        }),
      find,
      'test.openRow',
    );

  it('has a command without arguments, which VS Code cannot forget while the row is drawn anew', async () => {
    const tree = treeOf(node => ({ command: 'open', title: 'Open', arguments: [node] }));
    for (const node of [a!, b!, a!])
      assert.deepEqual((await tree.getTreeItem(node)).command, { command: 'test.openRow', title: 'Open' });
    await tree.openSelected(() => [b!]);
    assert.deepEqual(acts, ['commands.executeCommand']);
    await tree.openSelected(() => [a!, b!]);
    assert.equal(acts.length, 1, 'of several, none');
  });

  it('keeps a command that needs nothing, and may have none', async () => {
    const tree = treeOf(node => (node === a ? { command: 'retry', title: 'Try again' } : undefined));
    assert.deepEqual((await tree.getTreeItem(a!)).command, { command: 'retry', title: 'Try again' });
    assert.equal((await tree.getTreeItem(b!)).command, undefined);
    await tree.openSelected(() => [b!]);
    assert.deepEqual(acts, []);
  });

  it('is waited for while all rows are drawn anew and VS Code knows none', async () => {
    const tree = treeOf(node => ({ command: 'open', title: 'Open', arguments: [node] }));
    await tree.getTreeItem(a!);
    let known: readonly Node[] = [];
    const opened = tree.openSelected(() => known);
    await tree.getTreeItem(b!);
    await new Promise(resolve => setImmediate(resolve));
    assert.deepEqual(acts, []);
    known = [a!];
    await tree.getTreeItem(a!);
    await opened;
    assert.deepEqual(acts, ['commands.executeCommand']);
  });

  it('does nothing when it went meanwhile', async () => {
    const tree = treeOf(node => ({ command: 'open', title: 'Open', arguments: [node] }));
    await tree.getTreeItem(a!);
    await tree.openSelected(() => []);
    assert.deepEqual(acts, []);
  });
});
