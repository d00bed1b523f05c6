import type { JournalResult } from '../../replay/contract.ts';
import {
  toOutcome,
  defineVerb,
  requirePositionals,
  readArguments,
  type Verb,
  type VerbCall,
  type VerbOutcome,
} from '../../scripts/contract.ts';
import { activityCollectHelp, activityHelp, activitySubmitHelp, activityWaitAllHelp } from '../cli/verbs.ts';
import { type ChildCall, checkChildName, readChild, addIncludedFiles } from './child-arguments.ts';

/** How the message of a child begins that ran, failed and wrote to its standard error. */
const STDERR_MESSAGE = /^svc: child .* ended with exit code \d+; the end of its standard error:\n/s;

/**
 * Returns the outcome of a child. The child has already logged its own output, so that is left out where the script's
 * stdout goes to that log, as on replay. The end of its standard error stays in the record.
 */
function childOutcome(result: JournalResult): VerbOutcome {
  const { stderr, ...outcome } = toOutcome(result);
  const has_own_message = stderr !== undefined && !STDERR_MESSAGE.test(stderr);
  return { ...outcome, stderr: has_own_message ? stderr : undefined, replayed: true };
}

/** Masks the name. A child is found by its name, so the masked name is the one that is stored. */
const maskName = ({ pass }: VerbCall, child: ChildCall): ChildCall => ({ ...child, name: pass.mask(child.name) });

/** The verbs that run on the agent. */
export const activityVerbs: readonly Verb[] = [
  defineVerb(activityHelp, async (call) => {
    const child = addIncludedFiles(maskName(call, readChild(call.argv)), call.included_files);
    return childOutcome(await call.pass.wait({ kind: 'activity', name: child.name }, { args: child }));
  }),
  defineVerb(activitySubmitHelp, async (call) => {
    const child = addIncludedFiles(maskName(call, readChild(call.argv)), call.included_files);
    return toOutcome(await call.pass.perform({ kind: 'activity-submit', name: child.name }, child));
  }),
  defineVerb(activityCollectHelp, async (call) => {
    const [name] = requirePositionals(readArguments(call.argv), ['name']);
    const site = { kind: 'activity-collect', name: checkChildName(name!) };
    return childOutcome(await call.pass.wait(site, { args: {} }));
  }),
  defineVerb(activityWaitAllHelp, async (call) => {
    requirePositionals(readArguments(call.argv), []);
    return toOutcome(await call.pass.wait({ kind: 'activity-wait-all', name: '' }, { args: {} }));
  }),
];
