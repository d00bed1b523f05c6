import { checkText } from '../domain/step.ts';
import { verbUsage } from '../errors.ts';
import { answer } from './answer.ts';
import { exactly, readArguments, readTimeout } from './arguments.ts';
import { defineVerb } from './define-verb.ts';

const LONGEST_NAME = 128;
/** Names under which the engine itself wakes waits for events. */
const RESERVED = 'event:';

/** `svc wait-signal <name> [--timeout <duration>]`: takes the next signal of that name; 124 when the time is over. */
export const waitSignalVerb = defineVerb({
  verb: 'wait-signal',
  summary:
    'Suspends the run until the next signal of that name and prints its payload as JSON; exits 124 after --timeout.',
  usage: 'svc wait-signal <name> [--timeout <duration>]',
  async run(call) {
    const given = readArguments(call.argv, ['timeout']);
    const [name] = exactly(given, ['name']);
    checkText(name!, 'the name of a signal', LONGEST_NAME);
    if (name!.startsWith(RESERVED))
      throw verbUsage(`names that begin with ${RESERVED} are the engine's own; wait for an event with svc wait-event`);
    return answer(
      await call.pass.wait(
        { kind: 'wait-signal', name: name! },
        { args: {}, ...readTimeout(call, given.options.timeout) },
      ),
    );
  },
});
