import { checkEventType } from '../domain/event.ts';
import { answer } from './answer.ts';
import { exactly, readArguments, readTimeout } from './arguments.ts';
import { defineVerb } from './define-verb.ts';

/** `svc wait-event <type> [--timeout <duration>]`: the next event of the type; 124 when the time is over. */
export const waitEventVerb = defineVerb({
  verb: 'wait-event',
  summary:
    'Suspends the run until the next event of that type and prints its envelope as JSON; exits 124 after --timeout. An event that came before is not seen.',
  usage: 'svc wait-event <type> [--timeout <duration>]',
  async run(call) {
    const given = readArguments(call.argv, ['timeout']);
    const [type] = exactly(given, ['type']);
    checkEventType(type!);
    return answer(
      await call.pass.wait(
        { kind: 'wait-event', name: type! },
        { args: {}, ...readTimeout(call, given.options.timeout) },
      ),
    );
  },
});
