import { parseDuration } from '../../../kernel/contracts/index.ts';
import { SOCKET_PROTOCOL } from '../contract.ts';
import { checkEventType } from '../domain/event.ts';
import { verbUsage } from '../errors.ts';
import { answer } from './answer.ts';
import { exactly, readArguments } from './arguments.ts';
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
    const { timeout } = given.options;
    if (timeout !== undefined && (call.protocol ?? 1) < SOCKET_PROTOCOL)
      throw verbUsage(
        `--timeout needs protocol ${SOCKET_PROTOCOL} of the agent socket; this client speaks ${call.protocol ?? 1}`,
      );
    const timeout_ms = timeout === undefined ? undefined : parseDuration(timeout);
    const wait = timeout_ms === undefined ? { args: {} } : { args: {}, timeout_ms };
    return answer(await call.pass.wait({ kind: 'wait-event', name: type! }, wait));
  },
});
