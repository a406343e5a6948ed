import assert from 'node:assert/strict';

type Facts = Readonly<Record<string, string | number | boolean>>;

/** Whether a `when` of the manifest holds where context keys have these values; a key that has none is not set. */
export function holds(when: string | undefined, facts: Facts): boolean {
  const isTrue = (term: string): boolean => {
    const parts = /^(!?)([\w.]+)(?: (==|!=|=~) (.+))?$/.exec(term) ?? assert.fail(term);
    const [, not = '', key = '', operator, value = ''] = parts;
    const fact = facts[key];
    if (operator === undefined) return Boolean(fact) === (not === '');
    if (operator === '=~') return fact !== undefined && new RegExp(value.slice(1, -1)).test(String(fact));
    return (String(fact) === value) === (operator === '==');
  };
  return when?.split(' || ').some(terms => terms.split(' && ').every(isTrue)) ?? true;
}
