import { verbUsage } from '../../../execution/replay/contract.ts';
import {
  toOutcome,
  type Arguments,
  defineVerb,
  requirePositionals,
  readArguments,
  readTimeout,
} from '../../../execution/scripts/contract.ts';
import { waitEventHelp } from '../cli/verbs.ts';
import { validateEventType } from '../contract.ts';

/** Returns the event type, the only positional argument. Throws `verb_usage`. */
export function readType(args: Arguments): string {
  const [type] = requirePositionals(args, ['type']);
  const problem = validateEventType(type!);
  if (problem !== undefined) throw verbUsage(`the type of an event ${problem}`);
  return type!;
}

/** Implements `svc wait-event <type> [--timeout <duration>] [--untrusted]`, which exits 124 on timeout. */
export const waitEventVerb = defineVerb(waitEventHelp, async (call) => {
  const parsed = readArguments(call.argv, ['timeout'], [], ['untrusted']);
  const site = { kind: 'wait-event', name: readType(parsed), public_name: true };
  const { timeout, untrusted } = parsed.options;
  const args = untrusted === undefined ? {} : { untrusted: true };
  return toOutcome(await call.pass.wait(site, { args, ...readTimeout(call, timeout) }));
});
