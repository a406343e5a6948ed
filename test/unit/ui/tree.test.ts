import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { card, factsDocument } from '../../../src/ui/text';
import { type Row, Tree, type TreeNode } from '../../../src/ui/tree';
import { drawnRows, fakeView } from '../../fakes/view';
import { LazyTree } from '../../../src/ui/lazyTree';
import { Emitter } from '../../../src/util/lifecycle';
import { later } from '../../fakes/cleanUp';
import { acts, workspace } from '../../fakes/vscode';
import { restriction } from '../../../src/ui/window';

describe('a tree', () => {
  /** What stands below what, and what rows say beside their ids. */
  let below: Record<string, readonly string[]>;
  let rows: Record<string, Partial<Row>>;
  let view: ReturnType<typeof fakeView>;
  let tree: Tree;
  let fired: (readonly string[] | 'all')[];
  let drawings: number;

  const node = (id: string): TreeNode => ({
    id,
    kind: 'row',
    row: () => ({ label: id, ...rows[id], ...(below[id] === undefined ? {} : { open: true }) }),
    children: () => (below[id] ?? []).map(node),
  });
  /** Draws all there is, as VS Code does. */
  const draw = async () => (await drawnRows(tree)).map(each => each.node);
  const passed = (ms = 100): void => mock.timers.tick(ms);
  const updated = (ids?: ReadonlySet<string>): void => {
    tree.update(ids);
    passed();
  };

  beforeEach(async () => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    [below, rows] = [{ root: ['g', 'h'], g: ['a', 'b'], h: ['c'] }, {}];
    view = fakeView();
    [fired, drawings] = [[], 0];
    tree = new Tree({
      view,
      ready: () => Promise.resolve(),
      roots: () => (below['root'] ?? []).map(node),
      onDraw: () => drawings++,
    });
    tree.onDidChangeTreeData(nodes => fired.push(nodes === undefined ? 'all' : nodes.map(({ id }) => id)));
    await draw();
  });
  afterEach(() => {
    tree.dispose();
    mock.timers.reset();
  });

  it('draws again what says something else or has other children, once for all that changes together, and all where the first level is another, until VS Code has asked for it', async () => {
    updated();
    assert.deepEqual(fired, [], 'they say the same');
    rows['b'] = { description: 'now' };
    tree.update();
    rows['c'] = { icon: { id: 'check' } };
    updated();
    [rows['a'], rows['b']] = [{ description: 'x' }, { description: 'x' }];
    updated(new Set(['b']));
    below['g'] = ['b', 'a', 'new'];
    updated(new Set());
    assert.deepEqual(fired.splice(0), [['b', 'c'], ['b'], ['g']]);
    for (const root of [['h'], ['g'], ['h', 'g']]) {
      below['root'] = root;
      updated();
    }
    assert.deepEqual(fired, ['all'], 'it would wait anew each time it is told');
    assert.equal((await draw()).map(({ id }) => id).join(), 'h,c,g,b,a,new');
    below['root'] = ['g'];
    updated();
    assert.deepEqual(fired, ['all', 'all']);
  });

  it('keeps the objects VS Code knows rows by, with what they say now, in clean words, and their parents, also below another one', async () => {
    const before = await draw();
    rows['a'] = { description: 'later', tooltip: () => card('a', ['later']) };
    below['c'] = ['d'];
    updated();
    const [g, a, , , , d] = await draw();
    assert.deepEqual([g, a], before.slice(0, 2));
    const item = tree.getTreeItem(a!);
    assert.deepEqual([item.description, item.tooltip], ['later', undefined], 'tooltips are made late');
    assert.match((tree.resolveTreeItem(item, a!).tooltip as { readonly value: string }).value, /later$/);
    assert.deepEqual([tree.getParent(a!), tree.node('a')], [g, a]);
    rows['b'] = { label: 'x\u202e\ny', description: 'z\u0007' };
    const { label, description, accessibilityInformation } = tree.getTreeItem(node('b'));
    const foreign = [label, description, accessibilityInformation?.label];
    assert.deepEqual(foreign, ['x\ufffd y', 'z\ufffd', 'x\ufffd y, z\ufffd'], 'clean, and read aloud');
    Object.assign(below, { g: ['b', 'c'], h: [] });
    await draw();
    const c = tree.node('c');
    assert.deepEqual([tree.getParent(c!)?.id, tree.getParent(d!)], ['g', c], 'drawn earlier than its own');
    assert.equal(tree.node('a'), undefined, 'what is gone is forgotten');
  });

  it('draws nothing while it is hidden, what has changed meanwhile when it is shown, and looks at ages once a minute', async () => {
    view.show(false);
    rows['a'] = { description: 'x' };
    tree.update();
    passed(10 * 60_000);
    assert.deepEqual([fired, drawings], [[], 2], 'what stands around it is up to date');
    view.show(true);
    passed();
    assert.deepEqual([fired, drawings], [[['a']], 3]);
    await draw();
    rows['c'] = { description: '1 min' };
    passed(60_000);
    passed();
    assert.deepEqual([fired.slice(1), drawings], [[['c']], 5]);
  });
});

it('cards and documents hold no markup of what they show', () => {
  const evil = '**x** [x](command:quit) <b> file:///etc www.evil.example\n# y';
  const facts = Object.entries({ Name: evil, Nothing: undefined });
  const text = factsDocument(evil, [['', facts]], { evil });
  assert.ok(!/^(?!\s*"evil).*\]\(|<b>(?!.*")/m.test(text.slice(0, text.indexOf('```'))), text);
  assert.ok(!text.includes('Nothing'));
  assert.equal(text.match(/^#/gm)?.length, 2);
  assert.deepEqual(card('', ['', undefined, 'one']).value, 'one');
});

it('a tree whose rows come later tells the changes of its provider, and gives a row a command without arguments, which VS Code cannot forget while the row is drawn anew', async () => {
  type Named = { readonly name: string };
  const [a, b] = [{ name: 'a' }, { name: 'b' }];
  const changed = new Emitter<Named[] | undefined>();
  const retry = { command: 'retry', title: 'Try again' };
  acts.length = 0;
  const getTreeItem = (row: Named) =>
    row === a ? { command: { command: 'open', title: 'Open', arguments: [row] } } : { command: retry };
  const inner = { onDidChangeTreeData: changed.event, getChildren: () => [a, b], getTreeItem };
  const tree = new LazyTree<Named>(() => Promise.resolve(inner), 'test.openRow');
  const told: unknown[] = [];
  tree.onDidChangeTreeData(rows => told.push(rows));
  assert.deepEqual(await tree.getChildren(), [a, b]);
  for (const rows of [[a], undefined]) changed.fire(rows);
  assert.deepEqual(told, [[a], undefined]);
  for (const row of [a, a])
    assert.deepEqual((await tree.getTreeItem(row)).command, { command: 'test.openRow', title: 'Open' });
  assert.deepEqual((await tree.getTreeItem(b)).command, retry, 'one that needs nothing is kept');
  for (const selection of [[b], [a, b]]) await tree.openSelected(() => selection);
  assert.deepEqual(acts, [], 'of several, none');
  let known: readonly Named[] = [];
  const done = tree.openSelected(() => known);
  assert.deepEqual(acts, [], 'VS Code knows none while all are drawn anew');
  known = [a];
  await done;
  assert.deepEqual(acts, ['commands.executeCommand']);
});

it('a window may do less where all folders lie on no machine', () => {
  later(() => void Object.assign(workspace, { workspaceFolders: [] }));
  const may = (...schemes: readonly string[]) => {
    Object.assign(workspace, { workspaceFolders: schemes.map(scheme => ({ uri: { scheme } })) });
    return restriction();
  };
  assert.deepEqual([may('vscode-vfs', 'memfs'), may('vscode-vfs', 'file')], ['virtual', undefined]);
  assert.equal(may(), undefined);
});
