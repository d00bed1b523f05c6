import { verbUsage } from '../../replay/contract.ts';
import { answer, type Arguments, defineVerb, exactly, readArguments, readTimeout } from '../../scripts/contract.ts';
import { waitEventHelp } from '../cli/verbs.ts';
import { typeFault } from '../contract.ts';

/** The only positional argument, the event type. Throws `verb_usage`. */
export function readType(given: Arguments): string {
  const [type] = exactly(given, ['type']);
  const fault = typeFault(type!);
  if (fault !== undefined) throw verbUsage(`the type of an event ${fault}`);
  return type!;
}

/** `svc wait-event <type> [--timeout <duration>] [--untrusted]`: the next event of the type; 124 on timeout. */
export const waitEventVerb = defineVerb(waitEventHelp, async (call) => {
  const given = readArguments(call.argv, ['timeout'], [], ['untrusted']);
  const site = { kind: 'wait-event', name: readType(given), public_name: true };
  const { timeout, untrusted } = given.options;
  const args = untrusted === undefined ? {} : { untrusted: true };
  return answer(await call.pass.wait(site, { args, ...readTimeout(call, timeout) }));
});
