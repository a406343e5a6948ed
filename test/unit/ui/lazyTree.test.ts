import assert from 'node:assert/strict';
import { LazyTree } from '../../../src/ui/lazyTree';
import { Emitter } from '../../../src/util/event';
import { acts } from '../../fakes/vscode';

describe('a tree', () => {
  it('asks its provider for rows and tells its changes', async () => {
    const changed = new Emitter<string | string[] | undefined>();
    const told: unknown[] = [];
    const inner = {
      onDidChangeTreeData: changed.event,
      getChildren: (row?: string) => (row === undefined ? ['a', 'b'] : []),
      getTreeItem: (row: string) => ({ id: row }),
    };
    const tree = new LazyTree(() => Promise.resolve(inner), 'test.openRow');
    tree.onDidChangeTreeData(rows => told.push(rows));
    assert.deepEqual(await tree.getChildren(), ['a', 'b']);
    changed.fire(['a']);
    changed.fire(undefined);
    assert.deepEqual(told, [['a'], undefined]);
  });
});

describe('a row of a tree', () => {
  interface Node {
    readonly name: string;
  }
  const [a, b]: readonly Node[] = [{ name: 'a' }, { name: 'b' }];
  beforeEach(() => {
    acts.length = 0;
  });

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
});
