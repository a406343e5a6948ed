import assert from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import { pageHtml } from '../../../src/webview/html';

const options = {
  cspSource: "'self' https://*.example",
  scriptUri: 'https://page.example/chat.js',
  styleUri: 'https://page.example/chat.css',
  language: 'de',
  title: 'A "title" with <b> & ampersand',
};

function policyOf(html: string): Map<string, string> {
  const content = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
  return new Map(
    content.split('; ').map(directive => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources.join(' ')];
    }),
  );
}

describe('the document of a page', () => {
  it('lets exactly one script run, by a nonce of 128 bits', () => {
    const html = pageHtml(options);
    const policy = policyOf(html);
    const nonce = /^'nonce-([A-Za-z0-9+/]+={0,2})'$/.exec(policy.get('script-src') ?? '')?.[1];
    assert.ok(nonce !== undefined, 'script-src holds the nonce and nothing else');
    assert.equal(Buffer.from(nonce, 'base64').length, 16);
    assert.deepEqual(
      [...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag),
      [`<script nonce="${nonce}" src="https://page.example/chat.js">`],
    );
  });

  it('allows nothing that is not named, and no requests', () => {
    const html = pageHtml(options);
    const policy = policyOf(html);
    assert.deepEqual([...policy.keys()], ['default-src', 'script-src', 'style-src', 'font-src', 'img-src']);
    assert.equal(policy.get('default-src'), "'none'");
    assert.equal(policy.get('style-src'), options.cspSource);
    assert.equal(policy.get('img-src'), `${options.cspSource} data: blob:`);
    assert.doesNotMatch(html, /unsafe-|connect-src/);
    assert.ok(
      html.indexOf('Content-Security-Policy') < html.indexOf('<link'),
      'the policy comes before all it governs',
    );
  });

  it('may hold its script and style, by the same nonce, with nothing that ends them early', () => {
    const script = `f("<!-- <script>", "</script><b>", /<\\/SCRIPT>/, a < b, \`$&\`)`;
    const style = 'a::after { content: "</style><b>" }';
    const html = pageHtml({ ...options, inline: { script, style } });
    const policy = policyOf(html);
    const nonce = /'nonce-([^']+)'/.exec(policy.get('script-src') ?? '')?.[1] ?? '';
    assert.equal(policy.get('style-src'), `${options.cspSource} 'nonce-${nonce}'`);
    assert.equal(policy.get('script-src'), `'nonce-${nonce}'`);
    const [, styled] = /<style nonce="([^"]+)">([^]*?)<\/style/i.exec(html)?.slice(1) ?? [];
    assert.equal(styled, 'a::after { content: "<\\/style><b>" }');
    const [, run = ''] =
      new RegExp(`<script nonce="${nonce.replace(/[+]/g, '\\+')}">([^]*?)</script>`).exec(html) ?? [];
    assert.doesNotMatch(run, /<!--|<\/script/i);
    const said: unknown[] = [];
    runInNewContext(run, { f: (...words: unknown[]) => said.push(...words), a: 1, b: 2 });
    assert.deepEqual(said.map(String), ['<!-- <script>', '</script><b>', '/<\\/SCRIPT>/', 'true', '$&']);
    assert.equal(html.split('<script').length, 3, "the page's own and the word in its text");
    assert.doesNotMatch(html, /<link/);
  });

  it('has a new nonce each time', () => {
    const nonces = new Set(Array.from({ length: 100 }, () => policyOf(pageHtml(options)).get('script-src')));
    assert.equal(nonces.size, 100);
  });

  it('escapes what it is given and names its language', () => {
    const html = pageHtml({ ...options, language: 'd"e' });
    assert.match(html, /<title>A &#34;title&#34; with &#60;b&#62; &#38; ampersand<\/title>/);
    assert.match(html, /<html lang="d&#34;e">/);
  });
});
