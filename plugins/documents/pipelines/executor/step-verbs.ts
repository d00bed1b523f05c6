import type { Verb } from '../../../execution/scripts/contract.ts';

/** The verb that stores a folder or a file. */
export const ARTIFACT_PUT = 'artifact put';
/** The verb that fetches the run's artifacts. */
export const ARTIFACT_GET = 'artifact get';
/** The verbs that restore and save a cache. */
export const CACHE_RESTORE = 'cache restore';
export const CACHE_SAVE = 'cache save';

/** Verbs that need no memo: an emit is known by its place, no record has an ID token, and the others do the same each time that they are called. */
const ALLOWED: ReadonlySet<string> = new Set([
  'annotate',
  ARTIFACT_GET,
  ARTIFACT_PUT,
  CACHE_RESTORE,
  CACHE_SAVE,
  'emit',
  'id-token',
  'input',
  'output',
  'state',
]);

/** Maps the verbs to what a step may call: allowed verbs work, the others explain that they need a script. */
export const stepVerbs = (verbs: readonly Verb[]): ReadonlyMap<string, Verb> =>
  new Map(verbs.map((verb) => [verb.verb, ALLOWED.has(verb.verb) ? verb : unsupportedVerb(verb)]));

function unsupportedVerb(verb: Verb): Verb {
  const message =
    `svc ${verb.verb} works only in a script run; calls in a pipeline step are not recorded. ` +
    'Put it into a script, and run the script as a separate job.';
  return { ...verb, run: () => Promise.resolve({ exit: 1, stderr: `${message}\n`, message }) };
}
