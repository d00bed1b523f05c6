import { createHash } from 'node:crypto';
import { parseDuration } from '../../../../kernel/contracts/index.ts';
import { valueTooLarge, verbUsage } from '../../replay/contract.ts';
import { MAX_CALL_NAME_LENGTH, MAX_LABEL_LENGTH, readTerms, type SignalTerms } from '../../../engine/runs/contract.ts';
import { readKeyValue } from '../../../platform/schema/contract.ts';
import { annotateHelp, outputHelp, sleepHelp, stateHelp, stepHelp, waitSignalHelp } from '../cli/verbs.ts';
import {
  toOutcome,
  type Arguments,
  checkCommand,
  checkStepName,
  checkText,
  defineVerb,
  requirePositionals,
  POLICY_OPTIONS,
  readArguments,
  readNamedFile,
  readPolicy,
  readTimeout,
  runCommand,
  splitCommand,
  type Verb,
  type VerbCall,
} from '../contract.ts';
import { inputVerb } from './input.ts';
import { spawnVerb } from './spawn.ts';
import { waitAnyVerb } from './wait-any.ts';

/**
 * `svc step <name> [--label <text>] [--retry …] [--timeout …] -- <cmd>` runs a command once, however often the script
 * is run.
 */
const stepVerb = defineVerb(stepHelp, async (call) => {
  const split = splitCommand(call.argv);
  const given = readArguments(split.verb_argv, ['label', ...POLICY_OPTIONS]);
  const command = checkCommand(split.command);
  const [name] = requirePositionals(given, ['name']);
  const { label } = given.options;
  if (label !== undefined) checkText(label, 'the label of a step', MAX_LABEL_LENGTH);
  const policy = readPolicy(given.options);
  return await runCommand(call, { kind: 'step', name: checkStepName(name!), label }, command, { policy });
});

/**
 * `svc sleep <duration>` lets the run wait in the database, without a process; afterwards the script runs again from
 * the top.
 */
const sleepVerb = defineVerb(sleepHelp, async (call) => {
  const [duration] = requirePositionals(readArguments(call.argv), ['duration']);
  const timeout_ms = parseDuration(duration!);
  const site = { kind: 'sleep', name: '' };
  // The duration is not compared on replay, because a script may compute it from the time of day.
  if (timeout_ms > 0) return toOutcome(await call.pass.wait(site, { args: { duration_ms: timeout_ms }, timeout_ms }));
  return toOutcome(await call.pass.durable(site, async () => ({ exit_code: 0, output: Buffer.alloc(0) })));
});

const MAX_SIGNAL_NAME_LENGTH = 128;
/** The prefix of names under which the engine itself ends waits for events. */
const RESERVED_SIGNALS = 'event:';

/**
 * `svc wait-signal <name> [--timeout …] [--form …] [--approvers …] [--message …]` returns the next signal of that name. It
 * exits with 124 at the timeout, and with 125 when a person rejects what it asks.
 */
const waitSignalVerb = defineVerb(waitSignalHelp, async (call) => {
  const given = readArguments(call.argv, ['timeout', 'message', 'form'], ['approvers'], ['envelope']);
  const [name] = requirePositionals(given, ['name']);
  checkText(name!, 'the name of a signal', MAX_SIGNAL_NAME_LENGTH);
  if (name!.startsWith(RESERVED_SIGNALS))
    throw verbUsage(
      `names that begin with ${RESERVED_SIGNALS} are reserved for the engine; wait for an event with svc wait-event`,
    );
  const site = { kind: 'wait-signal', name: name! };
  // The name in the site is masked. Senders use the real name, so it is passed along where the arguments are sealed.
  const args = {
    ...(call.pass.mask(name!) !== name && { name }),
    ...(await readAnswerTerms(call, given)),
  };
  const outcome = toOutcome(await call.pass.wait(site, { args, ...readTimeout(call, given.options.timeout) }));
  // The message of an answer says who gave it, for those who look at the run. It is no fault of the script.
  return outcome.exit === 0 ? { ...outcome, stderr: undefined, message: undefined } : outcome;
});

/** The form, approvers and message of a wait. They are shown to people, so that no secret may stand in them. */
async function readAnswerTerms(call: VerbCall, { options, lists }: Arguments): Promise<SignalTerms> {
  const form = options.form === undefined ? undefined : await readFormText(call, options.form);
  const approvers = lists.approvers!.flatMap((text) => text.split(',').map((name) => name.trim()));
  const { terms, faults } = readTerms({
    form: form && call.pass.mask(form),
    message: options.message && call.pass.mask(options.message),
    approvers: approvers.length === 0 ? undefined : approvers,
    envelope: options.envelope !== undefined,
  });
  const [fault] = faults;
  if (fault) throw verbUsage(`--${fault.pointer.slice(1)} ${fault.message}`);
  return terms;
}

const MAX_FORM_BYTES = 64 * 1024;

/** The text of a form: itself, or of the file after `@`. */
async function readFormText(call: VerbCall, text: string): Promise<string> {
  if (!text.startsWith('@')) return text;
  return (await readNamedFile(call, text.slice(1), MAX_FORM_BYTES)).toString();
}

const MAX_NAME_LENGTH = 255;
/** The server takes 256 KiB of UTF-8 and says by how much a value exceeds that; this only limits what is read. */
const MAX_STDIN_BYTES = 1024 * 1024;

type Op = 'get' | 'set' | 'delete' | 'list';

const OPERANDS: Readonly<Record<Op, readonly string[]>> = {
  get: ['key'],
  set: ['key', 'value'],
  delete: ['key'],
  list: [],
};

/** `svc state get|set|delete|list` works on durable values of the run, or with --entity of the project. */
const stateVerb = defineVerb(stateHelp, async (call) => {
  const given = readArguments(call.argv, ['entity']);
  const { op, key: named, value } = operands(given);
  const key = named && call.pass.mask(named);
  if (given.options.entity !== undefined) checkName(given.options.entity, 'the name of an entity');
  const entity = given.options.entity && call.pass.mask(given.options.entity);
  const written = value === '-' ? (await call.stdin(MAX_STDIN_BYTES)).toString() : value;
  const site = { kind: 'state', name: siteName(op, entity, key) };
  return toOutcome(await call.pass.perform(site, { op, entity, key, value: written }));
});

function operands(given: Arguments): { op: Op; key?: string; value?: string } {
  const [op, ...rest] = given.positionals;
  if (op !== 'get' && op !== 'set' && op !== 'delete' && op !== 'list')
    throw verbUsage(
      op === undefined ? 'get, set, delete or list is missing' : `"${op}" is not get, set, delete or list`,
    );
  const [key, value] = requirePositionals({ ...given, positionals: rest }, OPERANDS[op]);
  if (key !== undefined) checkName(key, 'a key');
  return { op, key, value };
}

function checkName(name: string, what: string): void {
  if (name === '' || Array.from(name).length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name))
    throw verbUsage(`${what} must have 1 to ${MAX_NAME_LENGTH} characters and no control characters`);
}

/**
 * Names the operation, as in `get version`, `set counters/builds` or `list`; a very long name is shortened and
 * identified by its digest.
 */
function siteName(op: Op, entity: string | undefined, key: string | undefined): string {
  const place = `${entity === undefined ? '' : `${entity}/`}${key ?? ''}`;
  const name = place === '' ? op : `${op} ${place}`;
  const points = Array.from(name);
  if (points.length <= MAX_CALL_NAME_LENGTH) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return `${points.slice(0, MAX_CALL_NAME_LENGTH - 20).join('')}…${digest}`;
}

/** The size of one call of `svc output`, as JSON. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** `svc output set k=v…` stages values, which are merged into the output of the run if the script exits with 0. */
const outputVerb = defineVerb(outputHelp, async (call) => {
  const [verb, ...pairs] = readArguments(call.argv).positionals;
  if (verb !== 'set') throw verbUsage(verb === undefined ? '"set" is missing' : `"${verb}" is not "set"`);
  if (pairs.length === 0) throw verbUsage('no <key>=<value> was passed');
  const values = Object.fromEntries(pairs.map(readPair));
  const size = Buffer.byteLength(JSON.stringify(values));
  if (size > MAX_OUTPUT_BYTES)
    throw valueTooLarge(
      `the values are ${size} bytes as JSON, ${size - MAX_OUTPUT_BYTES} more than the ${MAX_OUTPUT_BYTES} allowed`,
    );
  call.pass.stageOutput(values);
  return { exit: 0 };
});

function readPair(pair: string): [key: string, value: unknown] {
  const { key, value, invalid } = readKeyValue(pair);
  if (invalid === 'key') throw verbUsage(`${JSON.stringify(shortened(pair))} is not of the form <key>=<value>`);
  if (invalid === 'json')
    throw verbUsage(`the value of ${JSON.stringify(shortened(key))} is not JSON; write ${key}=… for a string`);
  return [key, value];
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

const MAX_NOTE_BYTES = 64 * 1024 - 1;

/**
 * `svc annotate <markdown>` writes a note on the run. It is not recorded in the journal: every pass writes its notes
 * again.
 */
const annotateVerb = defineVerb(annotateHelp, async (call) => {
  const [given] = requirePositionals(readArguments(call.argv), ['markdown']);
  const text = given === '-' ? (await call.stdin(MAX_NOTE_BYTES)).toString() : given!;
  if (text.trim() === '') throw verbUsage('the note is empty');
  if (text.includes('\0')) throw verbUsage('the note contains a NUL');
  const size = Buffer.byteLength(text);
  if (size > MAX_NOTE_BYTES) throw valueTooLarge(`the note is ${size} bytes long; the limit is ${MAX_NOTE_BYTES}`);
  await call.pass.annotate(text);
  return { exit: 0 };
});

/** The verbs of this plugin. */
export const verbs: readonly Verb[] = [
  stepVerb,
  sleepVerb,
  waitSignalVerb,
  waitAnyVerb,
  spawnVerb,
  stateVerb,
  inputVerb,
  outputVerb,
  annotateVerb,
];
