import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { card, factsDocument, type Fact } from '../../../src/ui/text';
import { type Row, Tree, type TreeNode } from '../../../src/ui/tree';
import { fakeView } from '../../fakes/view';
import { LazyTree } from '../../../src/ui/lazyTree';
import { Emitter } from '../../../src/util/lifecycle';
import { acts } from '../../fakes/vscode';
import { restriction } from '../../../src/ui/window';

/** What the tree is to show: rows by id, and what stands below what. */
interface Scene {
  readonly below: Record<string, readonly string[]>;
  readonly rows: Record<string, Partial<Row>>;
}

describe('a tree', () => {
  let scene: Scene;
  let view: ReturnType<typeof fakeView>;
  let tree: Tree;
  let fired: (readonly string[] | 'all')[];
  let minutes: number;

  const node = (id: string): TreeNode => ({
    id,
    kind: 'row',
    row: () => ({ label: id, ...scene.rows[id], ...(scene.below[id] === undefined ? {} : { open: true }) }),
    children: () => (scene.below[id] ?? []).map(node),
  });
  /** Draws all there is, as VS Code does. */
  const draw = async (parent?: TreeNode): Promise<TreeNode[]> => {
    const children = await tree.getChildren(parent);
    const below: TreeNode[] = [];
    for (const child of children) {
      tree.getTreeItem(child);
      below.push(child, ...(await draw(child)));
    }
    return below;
  };
  const passed = (ms = 100): void => mock.timers.tick(ms);
  const updated = (ids?: ReadonlySet<string>): void => {
    tree.update(ids);
    passed();
  };

  beforeEach(async () => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    scene = { below: { root: ['g', 'h'], g: ['a', 'b'], h: ['c'] }, rows: {} };
    view = fakeView();
    [fired, minutes] = [[], 0];
    tree = new Tree({
      view,
      ready: () => Promise.resolve(),
      roots: () => (scene.below['root'] ?? []).map(node),
      onMinute: () => minutes++,
    });
    tree.onDidChangeTreeData(nodes => fired.push(nodes === undefined ? 'all' : nodes.map(({ id }) => id)));
    await draw();
  });
  afterEach(() => {
    tree.dispose();
    mock.timers.reset();
  });

  it('draws the rows that say something else and that it is told of, once for all that changes together', () => {
    updated();
    assert.deepEqual(fired, [], 'they say the same');
    scene.rows['b'] = { description: 'now' };
    tree.update();
    scene.rows['c'] = { icon: { id: 'check' } };
    updated();
    assert.deepEqual(fired, [['b', 'c']]);
    [scene.rows['a'], scene.rows['b']] = [{ description: 'x' }, { description: 'x' }];
    updated(new Set(['b']));
    assert.deepEqual(fired.slice(1), [['b']]);
  });

  it('draws a row with other children, and all rows where the first level is another', () => {
    scene = { ...scene, below: { ...scene.below, g: ['b', 'a', 'new'] } };
    updated();
    assert.deepEqual(fired, [['g']]);
    scene = { ...scene, below: { ...scene.below, root: ['h', 'g'] } };
    updated();
    assert.deepEqual(fired, [['g'], 'all']);
  });

  it('says once that all is to be drawn anew, until VS Code asks for it: it waits anew each time it is told', async () => {
    for (const root of [['h'], ['g'], ['h', 'g']]) {
      scene.below['root'] = root;
      updated();
    }
    assert.deepEqual(fired, ['all']);
    assert.deepEqual(
      (await draw()).map(({ id }) => id),
      ['h', 'c', 'g', 'a', 'b'],
    );
    scene.below['root'] = ['g'];
    updated();
    assert.deepEqual(fired, ['all', 'all']);
  });

  it('keeps the objects VS Code knows rows by, with what they say now, and their parents', async () => {
    const before = await draw();
    scene.rows['a'] = { description: 'later', tooltip: () => card('a', ['later']) };
    updated();
    assert.deepEqual(await draw(), before);
    const [g, a] = before;
    assert.ok(g && a);
    assert.equal(tree.getTreeItem(a).description, 'later');
    assert.match(
      (tree.resolveTreeItem(tree.getTreeItem(a), a).tooltip as { readonly value: string }).value,
      /later$/,
    );
    assert.equal(tree.getTreeItem(a).tooltip, undefined, 'tooltips are made late');
    assert.equal(tree.getParent(a), g);
    assert.equal(tree.node('a'), a);
    scene = { ...scene, below: { ...scene.below, g: ['b'] } };
    await draw();
    assert.equal(tree.node('a'), undefined, 'what is gone is forgotten');
  });

  it('knows a row that has moved to a parent drawn earlier, with what stands below it', async () => {
    scene.below['c'] = ['d'];
    await draw();
    scene = { ...scene, below: { ...scene.below, g: ['a', 'b', 'c'], h: [] } };
    await draw();
    const [c, d] = [tree.node('c'), tree.node('d')];
    assert.ok(c && d);
    assert.equal(tree.getParent(c)?.id, 'g');
    assert.equal(tree.getParent(d), c);
  });

  it('draws nothing while it is hidden, what has changed meanwhile when it is shown, and looks at ages once a minute', async () => {
    view.show(false);
    scene.rows['a'] = { description: 'x' };
    tree.update();
    passed(10 * 60_000);
    assert.deepEqual([fired, minutes], [[], 1]);
    view.show(true);
    passed();
    assert.deepEqual([fired, minutes], [[['a']], 2]);
    await draw();
    scene.rows['c'] = { description: '1 min' };
    passed(60_000);
    passed();
    assert.deepEqual([fired.slice(1), minutes], [[['c']], 3]);
  });

  it('reads label and description aloud where nothing else is said, and foreign texts hold no control characters', () => {
    scene.rows['a'] = { label: 'x\u202e\ny', description: 'z\u0007' };
    const item = tree.getTreeItem(node('a'));
    assert.deepEqual(
      [item.label, item.description, item.accessibilityInformation?.label],
      ['x\ufffd y', 'z\ufffd', 'x\ufffd y, z\ufffd'],
    );
  });
});

describe('cards and documents', () => {
  it('hold no markup of what they show', () => {
    const evil = '**x** [x](command:quit) <b> file:///etc www.evil.example\n# y';
    const facts: readonly Fact[] = [
      ['Name', evil],
      ['Nothing', undefined],
    ];
    const text = factsDocument(evil, [['', facts]], { evil });
    assert.ok(!/^(?!\s*"evil).*\]\(|<b>(?!.*")/m.test(text.slice(0, text.indexOf('```'))), text);
    assert.ok(!text.includes('Nothing'));
    assert.equal(text.match(/^#/gm)?.length, 2);
    assert.deepEqual(card('', ['', undefined, 'one']).value, 'one');
  });
});

describe('a tree whose rows come later', () => {
  type Named = { readonly name: string };
  const [a, b] = [{ name: 'a' }, { name: 'b' }];
  const changed = new Emitter<Named[] | undefined>();
  const retry = { command: 'retry', title: 'Try again' };
  let tree: LazyTree<Named>;

  beforeEach(() => {
    acts.length = 0;
    const getTreeItem = (row: Named) =>
      row === a ? { command: { command: 'open', title: 'Open', arguments: [row] } } : { command: retry };
    const inner = { onDidChangeTreeData: changed.event, getChildren: () => [a, b], getTreeItem };
    tree = new LazyTree(() => Promise.resolve(inner), 'test.openRow');
  });

  it('asks its provider for rows and tells its changes', async () => {
    const told: unknown[] = [];
    tree.onDidChangeTreeData(rows => told.push(rows));
    assert.deepEqual(await tree.getChildren(), [a, b]);
    changed.fire([a]);
    changed.fire(undefined);
    assert.deepEqual(told, [[a], undefined]);
  });

  it('gives a row a command without arguments, which VS Code cannot forget while the row is drawn anew', async () => {
    for (const row of [a, a])
      assert.deepEqual((await tree.getTreeItem(row)).command, { command: 'test.openRow', title: 'Open' });
    assert.deepEqual((await tree.getTreeItem(b)).command, retry, 'one that needs nothing is kept');
    await tree.openSelected(() => [b]);
    await tree.openSelected(() => [a, b]);
    assert.deepEqual(acts, [], 'of several, none');
    let known: readonly Named[] = [];
    const done = tree.openSelected(() => known);
    assert.deepEqual(acts, [], 'VS Code knows none while all are drawn anew');
    known = [a];
    await done;
    assert.deepEqual(acts, ['commands.executeCommand']);
  });
});

describe('what a window may do', () => {
  it('is less in Restricted Mode, and where all folders lie on no machine', () => {
    for (const [isTrusted, expected, folders] of [
      [true, undefined, [undefined, '', 'file', 'vscode-vfs file']],
      [false, 'untrusted', [undefined, '', 'file', 'vscode-vfs']],
      [true, 'virtual', ['vscode-vfs', 'vscode-vfs memfs']],
    ] as const)
      for (const schemes of folders) {
        const found = schemes?.split(' ').filter(scheme => scheme !== '');
        const workspaceFolders = found?.map(scheme => ({ uri: { scheme } }));
        assert.equal(restriction({ isTrusted, workspaceFolders }), expected, schemes);
      }
  });
});
