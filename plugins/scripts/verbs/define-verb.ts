import type { Verb } from '../contract.ts';
import { HelpAsked } from './arguments.ts';

/** A verb that answers `--help` with its usage; nothing is recorded then. */
export function defineVerb(verb: Verb): Verb {
  return {
    ...verb,
    async run(call) {
      try {
        return await verb.run(call);
      } catch (error) {
        if (!(error instanceof HelpAsked)) throw error;
        return { exit: 0, stdout: Buffer.from(`usage: ${verb.usage}\n\n${verb.summary}\n`) };
      }
    },
  };
}
