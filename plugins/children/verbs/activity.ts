import type { JournalAnswer } from '../../replay/contract.ts';
import {
  answer,
  defineVerb,
  exactly,
  readArguments,
  type Verb,
  type VerbCall,
  type VerbOutcome,
} from '../../scripts/contract.ts';
import { activityCollectHelp, activityHelp, activitySubmitHelp, activityWaitAllHelp } from '../cli/verbs.ts';
import { type ChildCall, checkChildName, readChild, withFiles } from './child-arguments.ts';

/** How the message of a child begins that was run, failed, and said why. */
const LAST_WORDS = /^svc: child .* ended with exit code \d+; the end of its standard error:\n/s;

/**
 * The outcome of a child. The child itself has logged what it said, so its output is left out where the script's stdout is that
 * log, as in a replay, and its last words stand in the record alone.
 */
function childAnswer(answered: JournalAnswer): VerbOutcome {
  const { stderr, ...outcome } = answer(answered);
  const said = stderr !== undefined && !LAST_WORDS.test(stderr);
  return { ...outcome, ...(said && { stderr }), replayed: true };
}

/** A child is found by its name, so that is stored as it is. */
const masked = ({ pass }: VerbCall, child: ChildCall): ChildCall => ({ ...child, name: pass.mask(child.name) });

/** The agent half of the child verbs. */
export const activityVerbs: readonly Verb[] = [
  defineVerb(activityHelp, async (call) => {
    const child = withFiles(masked(call, readChild(call.argv)), call.beside);
    return childAnswer(await call.pass.wait({ kind: 'activity', name: child.name }, { args: child }));
  }),
  defineVerb(activitySubmitHelp, async (call) => {
    const child = withFiles(masked(call, readChild(call.argv)), call.beside);
    return answer(await call.pass.perform({ kind: 'activity-submit', name: child.name }, child));
  }),
  defineVerb(activityCollectHelp, async (call) => {
    const [name] = exactly(readArguments(call.argv), ['name']);
    const site = { kind: 'activity-collect', name: checkChildName(name!) };
    return childAnswer(await call.pass.wait(site, { args: {} }));
  }),
  defineVerb(activityWaitAllHelp, async (call) => {
    exactly(readArguments(call.argv), []);
    return answer(await call.pass.wait({ kind: 'activity-wait-all', name: '' }, { args: {} }));
  }),
];
