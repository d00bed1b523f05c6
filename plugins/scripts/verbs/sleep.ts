import { parseDuration } from '../../../kernel/contracts/index.ts';
import { answer } from './answer.ts';
import { exactly, readArguments } from './arguments.ts';
import { defineVerb } from './define-verb.ts';

/** `svc sleep <duration>`: the run waits in the database, holding no process, and goes on from the top. */
export const sleepVerb = defineVerb({
  verb: 'sleep',
  summary:
    'Suspends the run for a time such as 500ms, 5s, 1m, 2h, 30d or 1h30m; the script then starts again from the top.',
  usage: 'svc sleep <duration>',
  async run(call) {
    const [duration] = exactly(readArguments(call.argv), ['duration']);
    const timeout_ms = parseDuration(duration!);
    const site = { kind: 'sleep', name: '' };
    // The duration is not compared on replay: a script may count it from the time of day.
    if (timeout_ms > 0) return answer(await call.pass.wait(site, { args: { duration_ms: timeout_ms }, timeout_ms }));
    return answer(await call.pass.durable(site, async () => ({ exit_code: 0, output: Buffer.alloc(0) })));
  },
});
