import { Errors } from '../../../kernel/contracts/index.ts';
import { type RecordedSite, siteOf } from '../contract.ts';
import { nearest } from '../../schema/contract.ts';

const SHOWN = 5;
const MAX_LENGTH = 300;

/**
 * How many records come before a site. `check#2` means its third occurrence, a bare name its first one. With the verb
 * before it (`activity-collect x#0`) it selects between calls with one site; otherwise the first counts. Throws
 * `invalid_request` with similar sites.
 */
export function recordsBefore(records: readonly RecordedSite[], from: string): number {
  for (const wanted of [from, `${from}#0`])
    for (const name of [siteOf, (record: RecordedSite) => `${record.kind} ${siteOf(record)}`]) {
      const found = records.find((record) => name(record) === wanted);
      if (found) return found.position;
    }
  throw unknownSite(records, from);
}

function unknownSite(records: readonly RecordedSite[], from: string) {
  const asked = JSON.stringify([...from].slice(0, MAX_LENGTH).join(''));
  const known = [...new Set(records.map(siteOf))];
  const near = nearest(from, known, SHOWN).join(', ');
  const instead = known.length === 0 ? 'the run has recorded none' : `the nearest are ${near}`;
  return Errors.invalidRequest(`there is no site ${asked} in this run; ${instead}`, {
    errors: [{ pointer: '/from', message: `is no recorded site; ${instead}` }],
  });
}
