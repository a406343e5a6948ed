import assert from 'node:assert/strict';
import { CreateFlow, type CreateFlowDeps } from '../../../src/sessions/createFlow';
import type { PolicyChoice } from '../../../src/sessions/policy';

/** A window that has seen no computer yet, with a policy that says no and so lets no session be made. */
function flow(get: () => Promise<object>): { readonly create: CreateFlow; readonly asked: PolicyChoice[] } {
  const asked: PolicyChoice[] = [];
  const warnings = (choice: PolicyChoice): Promise<string[]> => {
    asked.push(choice);
    return Promise.resolve(['The controls do not allow it.']);
  };
  const access = { signedIn: () => Promise.resolve({ api: { computers: { get } }, service: { id: 's' } }) };
  // Only what a session on a named computer needs before it is made is there.
  const deps = { access, computer: () => undefined, policy: { warnings } } as unknown as CreateFlowDeps;
  return { create: new CreateFlow(deps), asked };
}

describe('a session on a named computer', () => {
  it('that this window has not seen yet is asked about with the kind of the computer', async () => {
    const computer = { id: 'c1', name: 'Own', providerType: 'byom', createdAt: 1 };
    const { create, asked } = flow(() => Promise.resolve(computer));
    assert.equal(await create.handlers.create({ computerId: 'c1' }), undefined);
    assert.deepEqual(asked, [{ computerProvider: 'byom' }]);
  });

  it('is asked about without it when the service does not tell', async () => {
    const { create, asked } = flow(() => Promise.reject(new Error('503')));
    assert.equal(await create.handlers.create({ computerId: 'c1' }), undefined);
    assert.deepEqual(asked, [{}]);
  });
});
