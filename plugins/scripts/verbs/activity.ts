import type { JournalRecord } from '../../runs/contract.ts';
import type { VerbOutcome } from '../contract.ts';
import { answer } from './answer.ts';
import { readChild } from './child-arguments.ts';
import { defineVerb } from './define-verb.ts';

/** `svc activity <name> [--requires <cap>]... -- <cmd>`: runs a command on another agent and answers as it did. */
export const activityVerb = defineVerb({
  verb: 'activity',
  summary:
    'Runs a command on any agent with the capabilities named, in that agent’s working directory, and answers with its output and exit code. The run waits without a process meanwhile.',
  usage: 'svc activity <name> [--requires <capability>]… -- <command> [<argument>…]',
  async run(call) {
    const { name, ...child } = readChild(call.argv);
    return childAnswer(await call.pass.wait({ kind: 'activity', name }, { args: { name, ...child } }));
  },
});

/**
 * What a child came to. Its output is in the log of the run already, by its own hand: where the script's stdout is that
 * log it is left out, as that of a replay is.
 */
export function childAnswer({ record, replayed }: { record: JournalRecord; replayed: boolean }): VerbOutcome {
  return { ...answer({ record, replayed }), replayed: true };
}
