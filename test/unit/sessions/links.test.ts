import assert from 'node:assert/strict';
import fc from 'fast-check';
import { linkedSession, linkTo, typedSession } from '../../../src/sessions/links';

describe('links to sessions', () => {
  const host = 'api.example.com';
  const base = { scheme: 'vscode', authority: 'agent-console.agent-console' };
  it('lead back to the session, whatever its id is made of, of whichever editor', () => {
    const id = fc.stringMatching(/^[!-~]{1,40}$/).filter(text => text !== '.' && text !== '..');
    fc.assert(
      fc.property(id, sessionId => {
        for (const scheme of ['vscode', 'code-oss', 'vscode-insiders'])
          assert.equal(typedSession(linkTo({ ...base, scheme }, { sessionId, host }), host), sessionId);
      }),
    );
    assert.equal(
      linkTo(base, { sessionId: 'ab%/?#', host }),
      'vscode://agent-console.agent-console/session/ab%25%2F%3F%23?service=api.example.com',
    );
    for (const typed of ['vscode://agent-console.agent-console/session/s1', ' s1 '])
      assert.equal(typedSession(typed, host), 's1');
    for (const typed of ['726c46b4-dd2a', 'a:b', '//x']) assert.equal(typedSession(typed, host), typed);
  });

  it('say why they name no session, or one of another service', () => {
    for (const typed of [
      'https://app.example.com/x',
      'vscode://a/session/',
      'vscode://a/session/%E0%A4',
      'x://',
    ])
      assert.throws(() => typedSession(typed, host), /does not lead to a session/, typed);
    for (const typed of ['', 'a b', '..']) assert.throws(() => typedSession(typed, host), /no spaces/);
    const elsewhere = linkTo(base, { sessionId: 's1', host: 'other.example.com' });
    assert.throws(() => typedSession(elsewhere, host), /at other.example.com, but you are signed in to api/);
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
      assert.throws(() => linkedSession({ path, query }, host), /does not lead to a session/, path);
  });
});
