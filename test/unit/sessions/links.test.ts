import assert from 'node:assert/strict';
import fc from 'fast-check';
import { linkIn, linkTo, readLink } from '../../../src/sessions/links';

describe('links to sessions', () => {
  const base = { scheme: 'vscode', authority: 'agent-console.agent-console' };
  it('lead back to the session, whatever its id is made of, of whichever editor', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[!-~]{1,40}$/).filter(text => text !== '.' && text !== '..'),
        sessionId => {
          for (const scheme of ['vscode', 'code-oss', 'vscode-insiders'])
            assert.deepEqual(linkIn(linkTo({ ...base, scheme }, { sessionId, host: 'api.example.com' })), {
              sessionId,
              host: 'api.example.com',
            });
        },
      ),
    );
    assert.equal(
      linkTo(base, { sessionId: 'ab%/?#', host: 'api.example.com' }),
      'vscode://agent-console.agent-console/session/ab%25%2F%3F%23?service=api.example.com',
    );
    assert.deepEqual(linkIn('vscode://agent-console.agent-console/session/s1'), { sessionId: 's1' });
    for (const text of [
      'https://app.example.com/x',
      'vscode://a/session/',
      'vscode://a/session/%E0%A4',
      'x://',
    ])
      assert.equal(linkIn(text), 'other', text);
    for (const text of ['s1', '726c46b4-dd2a', 'a:b', '//x', '']) assert.equal(linkIn(text), undefined, text);
  });

  it('name nothing when somebody else wrote them', () => {
    for (const [path, query] of [
      ['/session/', ''],
      ['/session/.', ''],
      ['/session/..', ''],
      ['/other/s1', ''],
      ['/session/a b', ''],
      [`/session/${'x'.repeat(300)}`, ''],
      ['/session/s\u202e1', ''],
      ['/session/s1', 'service=api.example.com/[x](command:y)'],
      ['/session/s1', 'command=x'],
    ] as const)
      assert.equal(readLink({ path, query }), undefined, path);
  });
});
