import { verbUsage } from '../../../execution/replay/contract.ts';
import {
  toOutcome,
  type Arguments,
  defineVerb,
  requirePositionals,
  readArguments,
  readTimeout,
} from '../../../execution/scripts/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { readKeyValue } from '../../../platform/schema/contract.ts';
import { waitEventHelp } from '../cli/verbs.ts';
import { validateEventType } from '../contract.ts';

/** Returns the event type, the only positional argument. Throws `verb_usage`. */
export function readType(args: Arguments): string {
  const [type] = requirePositionals(args, ['type']);
  const problem = validateEventType(type!);
  if (problem !== undefined) throw verbUsage(`the event type ${problem}`);
  return type!;
}

/** Returns the predicate and its variables. They are separate arguments, so no value becomes part of the expression. */
function readWhen({ options: { when }, lists: { var: pairs = [] } }: Arguments): { [name: string]: Json } {
  if (when === undefined && pairs.length > 0) throw verbUsage('--var needs --when, which uses it as vars.<name>');
  if (when === undefined) return {};
  const vars = Object.fromEntries(
    pairs.map((pair): [string, Json] => {
      const { key, value, invalid } = readKeyValue(pair);
      if (invalid === 'json') throw verbUsage(`--var ${key}:= is not followed by JSON`);
      if (!VARIABLE.test(key)) throw verbUsage('--var takes name=text or name:=json; a name has letters, digits and _');
      return [key, value as Json];
    }),
  );
  return { when, vars };
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Implements `svc wait-event <type> [--when <expression> [--var <name>=<value>]…] [--timeout <duration>] [--untrusted]`. */
export const waitEventVerb = defineVerb(waitEventHelp, async (call) => {
  const parsed = readArguments(call.argv, ['timeout', 'when'], ['var'], ['untrusted']);
  const site = { kind: 'wait-event', name: readType(parsed), public_name: true };
  const { timeout, untrusted } = parsed.options;
  const args = { ...readWhen(parsed), ...(untrusted === undefined ? {} : { untrusted: true }) };
  return toOutcome(await call.pass.wait(site, { args, ...readTimeout(call, timeout) }));
});
