import { Errors } from '../../../../kernel/contracts/index.ts';
import { type RecordedSite, siteOf } from '../contract.ts';
import { nearest } from '../../../platform/schema/contract.ts';

const SHOWN = 5;
const MAX_LENGTH = 300;

/** A site with its verb: at most one record has it. */
const callOf = (record: RecordedSite): string => `${record.kind} ${siteOf(record)}`;

/**
 * How many records come before a site. `check#2` means its third occurrence, a bare name its first one. Calls of several
 * verbs may have one site: the verb before it (`activity-collect x#0`) selects one of them. Throws `invalid_request` with
 * similar sites, or with all calls that are meant.
 */
export function recordsBefore(records: readonly RecordedSite[], from: string): number {
  for (const wanted of [from, `${from}#0`])
    for (const name of [siteOf, callOf]) {
      const [found, ...others] = records.filter((record) => name(record) === wanted);
      if (found && others.length > 0) throw sharedSite([found, ...others], from);
      if (found) return found.position;
    }
  throw unknownSite(records, from);
}

function sharedSite(records: readonly RecordedSite[], from: string) {
  const calls = records.map((record) => `${JSON.stringify(callOf(record))} (call ${record.position + 1})`);
  const all = `${calls.slice(0, -1).join(', ')} and ${calls.at(-1)!}`;
  const instead = `put the verb before the site, as in ${JSON.stringify(callOf(records[0]!))}`;
  return Errors.invalidRequest(`${quoted(from)} is the site of ${records.length} calls: ${all}; ${instead}`, {
    errors: [{ pointer: '/from', message: `is the site of ${records.length} calls; ${instead}` }],
  });
}

const quoted = (from: string): string => JSON.stringify([...from].slice(0, MAX_LENGTH).join(''));

function unknownSite(records: readonly RecordedSite[], from: string) {
  const asked = quoted(from);
  const known = [...new Set(records.map(siteOf))];
  const near = nearest(from, known, SHOWN).join(', ');
  const instead =
    known.length === 0 ? 'the run has recorded no sites, so rerun it from the start' : `similar sites: ${near}`;
  return Errors.invalidRequest(`there is no site ${asked} in this run; ${instead}`, {
    errors: [{ pointer: '/from', message: `is not a recorded site; ${instead}` }],
  });
}
