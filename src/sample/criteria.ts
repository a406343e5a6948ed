import table from './criteria.txt';

/** What a readiness report looks at, judged for each application or once for the repository, and the rationales. */
export const CRITERIA = table
  .trim()
  .split('\n')
  .map(row => {
    const [scope, id = '', met = '', unmet = '', advice = ''] = row.split(' | ');
    return { id, perApp: scope === 'each', met, unmet, advice };
  });
export type Criterion = (typeof CRITERIA)[number];
