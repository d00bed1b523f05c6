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
import { type ChildCall, checkChildName, readChild } from './child-arguments.ts';

/**
 * The outcome of a child. The child itself has logged its output, so it is left out where the script's stdout is that
 * log, as in a replay.
 */
const childAnswer = (answered: JournalAnswer): VerbOutcome => ({ ...answer(answered), replayed: true });

/** A child is found by its name, so that is stored as it is. */
const masked = ({ pass }: VerbCall, child: ChildCall): ChildCall => ({ ...child, name: pass.mask(child.name) });

/** The agent half of the child verbs. */
export const activityVerbs: readonly Verb[] = [
  defineVerb(activityHelp, async (call) => {
    const child = masked(call, readChild(call.argv));
    return childAnswer(await call.pass.wait({ kind: 'activity', name: child.name }, { args: child }));
  }),
  defineVerb(activitySubmitHelp, async (call) => {
    const child = masked(call, readChild(call.argv));
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
