import { verbUsage } from '../../../execution/replay/contract.ts';
import {
  toOutcome,
  type Arguments,
  defineVerb,
  requirePositionals,
  readArguments,
  readTimeout,
  readVars,
} from '../../../execution/scripts/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { waitEventHelp } from '../cli/verbs.ts';
import { validateEventType } from '../contract.ts';

/** Returns the event type, the only positional argument. Throws `verb_usage`. */
export function readType(args: Arguments): string {
  const [type] = requirePositionals(args, ['type']);
  const problem = validateEventType(type!);
  if (problem !== undefined) throw verbUsage(`the event type ${problem}`);
  return type!;
}

/** Returns the predicate and its variables. */
function readWhen({ options: { when }, lists: { var: pairs = [] } }: Arguments): { [name: string]: Json } {
  if (when === undefined && pairs.length > 0) throw verbUsage('--var needs --when, which uses it as vars.<name>');
  return when === undefined ? {} : { when, vars: readVars(pairs) };
}

/** Implements `svc wait-event <type> [--when <expression> [--var <name>=<value>]…] [--timeout <duration>] [--untrusted]`. */
export const waitEventVerb = defineVerb(waitEventHelp, async (call) => {
  const parsed = readArguments(call.argv, ['timeout', 'when'], ['var'], ['untrusted']);
  const site = { kind: 'wait-event', name: readType(parsed), public_name: true };
  const { timeout, untrusted } = parsed.options;
  const args = { ...readWhen(parsed), ...(untrusted === undefined ? {} : { untrusted: true }) };
  return toOutcome(await call.pass.wait(site, { args, ...readTimeout(call, timeout) }));
});
