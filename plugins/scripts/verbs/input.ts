import { verbUsage } from '../../replay/contract.ts';
import { isNumber, speltNumber } from '../../schema/contract.ts';
import { inputHelp } from '../cli/verbs.ts';
import { defineVerb, exactly, readArguments, type VerbOutcome } from '../contract.ts';
import { dataOf, pathOf, stepsOf, walk } from '../sdk/paths.mjs';

/** Names of members that a message lists. */
const MAX_NAMES = 8;
const MAX_SHOWN = 60;
const GRAMMAR = 'a path is a.b, a[0] or a["any name"]';

/**
 * `svc input [<path>]`: what was submitted, or the payload of the event. It never changes, so it takes no position of the
 * journal.
 */
export const inputVerb = defineVerb(inputHelp, async ({ argv, envelope = {}, pass }) => {
  const given = readArguments(argv, ['default'], [], ['envelope']);
  const [path = '.'] = given.positionals.length === 0 ? [] : exactly(given, ['path']);
  if (path === '') throw verbUsage(`the path is empty; leave it out for everything, else ${GRAMMAR}`);
  const steps = stepsOf(path);
  if (!steps) throw verbUsage(`${JSON.stringify(short(pass.mask(path)))} is no path: ${GRAMMAR}`);
  const whole = given.options.envelope === undefined ? dataOf(envelope) : envelope;
  const { value, way } = walk(whole, steps);
  const { default: instead } = given.options;
  if (instead !== undefined && (value === undefined || value === null)) return printed(instead);
  if (value === undefined) return missing(steps, way, (text) => short(pass.mask(text)));
  return typeof value === 'number' ? printed(asSpelt(steps, way) ?? value) : printed(value);
});

/** The text of a number where JSON would write it otherwise: `10.00`. */
function asSpelt(steps: readonly (string | number)[], way: readonly unknown[]): string | undefined {
  const [holder, value] = way.slice(-2);
  const step = steps.at(-1);
  if (typeof holder !== 'object' || holder === null || step === undefined) return undefined;
  const place = typeof step === 'number' && step < 0 ? (holder as unknown[]).length + step : step;
  return speltNumber(holder, place, value);
}

/** A text as it is and everything else as JSON, as `jq -r` prints it. */
const printed = (value: unknown): VerbOutcome => ({
  exit: 0,
  stdout: Buffer.from(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`),
});

/** Masked before it is cut: a log does not find half of a secret. */
type Shown = (text: string) => string;

/** Not a usage error: the call is right, and what the run was given has no such place. */
function missing(steps: readonly (string | number)[], way: readonly unknown[], shown: Shown): VerbOutcome {
  const last = way.at(-1);
  const place = shown(pathOf(steps));
  const found = way.length === 1 ? 'the input' : shown(pathOf(steps.slice(0, way.length - 1)));
  const message =
    last === undefined ? 'the run was given no input' : `nothing is at ${place}: ${found} ${described(last, shown)}`;
  const next = 'Give it with --input when the run is submitted, or say --default <value> here.';
  return { exit: 1, message, stderr: `svc input: ${message}\n${next}\n` };
}

function described(value: unknown, shown: Shown): string {
  if (Array.isArray(value)) return `is a list of ${value.length}`;
  if (value === null) return 'is null';
  if (typeof value !== 'object' || isNumber(value))
    return `is a ${isNumber(value) ? 'number' : typeof value === 'string' ? 'text' : typeof value}`;
  const names = Object.keys(value);
  if (names.length === 0) return 'is an empty object';
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `has ${names.slice(0, MAX_NAMES).map(shown).join(', ')}${more}`;
}

const short = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
