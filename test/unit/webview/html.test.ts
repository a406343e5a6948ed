import assert from 'node:assert/strict';
import { pageHtml } from '../../../src/webview/html';

const options = {
  cspSource: "'self' https://*.example",
  scriptUri: 'https://page.example/chat.js',
  styleUri: 'https://page.example/chat.css',
  language: 'de',
  title: 'A "title" with <b> & ampersand',
  broken: { sentence: 'Not "drawn": {0}', reload: 'Reload', log: 'Show log' },
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

  it('escapes what it is given and names its language', () => {
    const html = pageHtml({ ...options, language: 'd"e' });
    assert.match(html, /<title>A &#34;title&#34; with &#60;b&#62; &#38; ampersand<\/title>/);
    assert.match(html, /<html lang="d&#34;e">/);
  });
});
