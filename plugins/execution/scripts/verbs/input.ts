import { verbUsage } from '../../replay/contract.ts';
import { isNumber, sourceText } from '../../../platform/schema/contract.ts';
import { inputHelp } from '../cli/verbs.ts';
import { defineVerb, requirePositionals, readArguments, type VerbOutcome } from '../contract.ts';
import { dataOf, pathOf, stepsOf, walk } from '../sdk/paths.mjs';

/** The number of member names that a message lists. */
const MAX_NAMES = 8;
const MAX_QUOTED_LENGTH = 60;
const GRAMMAR = 'a path is a.b, a[0] or a["any name"]';

/**
 * `svc input [<path>]` prints what was submitted, or the payload of the event. It never changes, so it takes no
 * position in the journal.
 */
export const inputVerb = defineVerb(inputHelp, async ({ argv, envelope = {}, pass }) => {
  const given = readArguments(argv, ['default'], [], ['envelope']);
  const [path = '.'] = given.positionals.length === 0 ? [] : requirePositionals(given, ['path']);
  if (path === '') throw verbUsage(`the path is empty; leave it out to get everything, otherwise ${GRAMMAR}`);
  const steps = stepsOf(path);
  if (!steps) throw verbUsage(`${JSON.stringify(truncate(pass.mask(path)))} is not a path: ${GRAMMAR}`);
  const input = given.options.envelope === undefined ? dataOf(envelope) : envelope;
  const { value, way } = walk(input, steps);
  const { default: instead } = given.options;
  if (instead !== undefined && (value === undefined || value === null)) return toOutput(instead);
  if (value === undefined) return missingValue(steps, way, (text) => truncate(pass.mask(text)));
  return typeof value === 'number' ? toOutput(originalSpelling(steps, way) ?? value) : toOutput(value);
});

/** Returns the text of a number that JSON would write differently, such as `10.00`. */
function originalSpelling(steps: readonly (string | number)[], way: readonly unknown[]): string | undefined {
  const [container, value] = way.slice(-2);
  const step = steps.at(-1);
  if (typeof container !== 'object' || container === null || step === undefined) return undefined;
  const member = typeof step === 'number' && step < 0 ? (container as unknown[]).length + step : step;
  return sourceText(container, member, value);
}

/** Prints a text as it is and everything else as JSON, as `jq -r` does. */
const toOutput = (value: unknown): VerbOutcome => ({
  exit: 0,
  stdout: Buffer.from(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`),
});

/** Masks a text before shortening it, because the log does not recognise half a secret. */
type MaskText = (text: string) => string;

/** This is no usage error: the call is right, but the input has no such path. */
function missingValue(steps: readonly (string | number)[], way: readonly unknown[], maskText: MaskText): VerbOutcome {
  const last_value = way.at(-1);
  const shown_path = maskText(pathOf(steps));
  const found = way.length === 1 ? 'the input' : maskText(pathOf(steps.slice(0, way.length - 1)));
  const message =
    last_value === undefined
      ? 'the run has no input'
      : `nothing is at ${shown_path}: ${found} ${describeValue(last_value, maskText)}`;
  const next = 'Give it with --input when the run is submitted, or add --default <value> here.';
  return { exit: 1, message, stderr: `svc input: ${message}\n${next}\n` };
}

function describeValue(value: unknown, maskText: MaskText): string {
  if (Array.isArray(value)) return `is a list of ${value.length}`;
  if (value === null) return 'is null';
  if (typeof value !== 'object' || isNumber(value))
    return `is a ${isNumber(value) ? 'number' : typeof value === 'string' ? 'text' : typeof value}`;
  const names = Object.keys(value);
  if (names.length === 0) return 'is an empty object';
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `has ${names.slice(0, MAX_NAMES).map(maskText).join(', ')}${more}`;
}

const truncate = (text: string): string =>
  text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text;
