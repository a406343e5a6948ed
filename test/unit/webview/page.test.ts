import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { mock } from 'node:test';
import { Uri, type Webview, type WebviewOptions } from 'vscode';
import { WebviewPage } from '../../../src/webview/page';
import { silentLog } from '../../fakes/log';

describe('a page in a webview', () => {
  let isVisible: boolean;
  let written: string[];
  let gone: number;
  let missing: number;
  let page: WebviewPage;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    [isVisible, written, gone, missing] = [true, [], 0, 0];
    const webview = {
      options: {},
      cspSource: 'https://pages.example',
      asWebviewUri: (uri: Uri) => uri,
      set html(text: string) {
        written.push(text);
      },
    };
    page = new WebviewPage({
      webview: webview as unknown as Webview,
      extensionUri: Uri.file('/extension'),
      name: 'usage',
      title: () => 'Usage',
      isVisible: () => isVisible,
      onGone: () => gone++,
      onMissing: () => missing++,
      log: silentLog(),
    });
    const { enableScripts, localResourceRoots } = webview.options as WebviewOptions;
    assert.deepEqual(
      [enableScripts, localResourceRoots?.map(String)],
      [true, ['file:///extension/dist/pages']],
    );
    page.load();
  });
  afterEach(() => {
    page.dispose();
    mock.timers.reset();
  });
  const show = (visible: boolean): void => {
    isVisible = visible;
    page.followVisibility();
  };

  it('is missing when it is not heard within ten seconds, once', () => {
    mock.timers.tick(9_999);
    assert.deepEqual([missing, page.isMissing, page.isReady], [0, true, false]);
    mock.timers.tick(60_000);
    assert.equal(missing, 1);
    page.load();
    assert.equal(written.length, 2);
    mock.timers.tick(10_000);
    assert.equal(missing, 2, 'each loading has its own ten seconds');
    page.ready();
    assert.equal(page.isMissing, false, 'it came late');
  });

  it('is not missing once it was heard, nor while nobody looks', () => {
    page.ready();
    mock.timers.tick(60_000);
    show(false);
    mock.timers.tick(60_000);
    assert.deepEqual([missing, page.isMissing], [0, false]);
    show(true);
    mock.timers.tick(10_000);
    assert.deepEqual([missing, page.isMissing], [1, true]);
  });

  it('is written anew each time it is hidden, with a nonce of its own', () => {
    page.ready();
    for (let round = 0; round < 5; round++) {
      show(false);
      show(false);
      assert.equal(page.isReady, false);
      show(true);
      show(true);
      page.ready();
    }
    assert.deepEqual([gone, written.length], [5, 6]);
    assert.equal(new Set(written.map(html => /nonce="([^"]+)"/.exec(html)?.[1])).size, 6);
    for (const html of written) assert.match(html, /\/extension\/dist\/pages\/usage\.js/);
  });

  it('that is heard before it is said to be shown is not waited for', () => {
    page.ready();
    show(false);
    page.ready();
    show(true);
    mock.timers.tick(60_000);
    assert.equal(missing, 0);
  });

  it('leaves no timer behind', () => {
    page.dispose();
    mock.timers.tick(60_000);
    assert.deepEqual([missing, page.isMissing], [0, false]);
  });
});

describe('a page whose files can be read', () => {
  it('holds its script and style sheet, whose fonts are asked for where all files of pages are', () => {
    const extension = fs.mkdtempSync(path.join(os.tmpdir(), 'page-'));
    const pages = path.join(extension, 'dist', 'pages');
    fs.mkdirSync(pages, { recursive: true });
    fs.writeFileSync(path.join(pages, 'usage.js'), 'begin("<!--");');
    fs.writeFileSync(path.join(pages, 'usage.css'), '@font-face{src:url("./codicon.ttf")}');
    const webview = {
      options: {},
      html: '',
      cspSource: 'pages:',
      asWebviewUri: (uri: Uri) => `pages:${uri.path}`,
    };
    const page = new WebviewPage({
      webview: webview as unknown as Webview,
      extensionUri: Uri.file(extension),
      name: 'usage',
      title: () => 'Usage',
      isVisible: () => true,
      onGone: () => undefined,
      onMissing: () => undefined,
      log: silentLog(),
    });
    page.load();
    page.dispose();
    fs.rmSync(extension, { recursive: true });
    assert.ok(webview.html.includes(`begin("\\x3c!--");</script>`), webview.html);
    assert.ok(
      webview.html.includes(`@font-face{src:url("pages:${pages}/codicon.ttf")}</style>`),
      webview.html,
    );
  });
});
