import { createHash } from 'node:crypto';
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import { BoundedMap, type Fault, type JsonSchema } from '../../../../kernel/contracts/index.ts';
import { expandInputs } from './declared-inputs.ts';
import { withDoubles } from './double-numbers.ts';
import { isNumber } from './exact-number.ts';
import { addFormats } from './ajv.ts';
import { inTime } from './in-time.ts';
import { pointerTo } from './pointer.ts';
import { ShapeError } from './shape.ts';
import { copySpelling } from './spelling.ts';
import { UNKNOWN_MEMBER } from './validation-errors.ts';

const MAX_COMPILED = 256;
/** Bytes of the schemas that are kept compiled, which take fifty times as much memory. */
const MAX_COMPILED_BYTES = 2 * 1024 * 1024;
const MAX_ERRORS = 10;
/** Characters of a pointer, or of a message, which quote the names of a value of 2 MiB. */
const MAX_QUOTED = 300;
const MAX_CHECK_MS = 50;
const MAX_COMPILE_MS = 250;
/** A schema that was accepted is compiled again on slower machines. */
const MAX_RECOMPILE_MS = 4 * MAX_COMPILE_MS;
const STACK_EXCEEDED = 'references of the schema run in a circle';

/** A schema with references is compiled once for each of them otherwise: 18 KiB become gigabytes. */
const OPTIONS: Options = { strict: false, allErrors: true, logger: false, inlineRefs: false };

/** The formats of the types that fields can have. Others describe a value and check nothing, as JSON Schema has it. */
const CHECKED_FORMATS = { date: 'a date such as 2026-11-30', email: 'an email address', uri: 'a URL' };
const FORMAT_NAMES = Object.keys(CHECKED_FORMATS) as (keyof typeof CHECKED_FORMATS)[];

const makeValidator = (options: Options): Ajv2020 => addFormats(new Ajv2020(options), FORMAT_NAMES);

const WITH_DEFAULTS: Options = { ...OPTIONS, useDefaults: true };

/** Checks schemas themselves. A compiler of its own for each of them would compile the schema of schemas each time. */
let ofSchemas: Ajv2020 | undefined;

function schemaChecker(): Ajv2020 {
  if (ofSchemas === undefined) {
    ofSchemas = new Ajv2020(OPTIONS);
    // Not while the time is measured.
    void ofSchemas.validateSchema({});
  }
  return ofSchemas;
}

/** Compiled schemas, by their digest. */
const compiled = new BoundedMap<string, { validate: ValidateFunction; bytes: number }>(MAX_COMPILED, {
  max_weight: MAX_COMPILED_BYTES,
  weigh: ({ bytes }) => bytes,
});

/** Each schema has a compiler of its own, because two of them may have the same `$id`. */
function compile(text: string, max_ms: number, options = OPTIONS): ValidateFunction {
  const key = `${createHash('sha256').update(text).digest('hex')}${options === OPTIONS ? '' : ' with defaults'}`;
  const cached = compiled.get(key);
  if (cached !== undefined) return cached.validate;
  const checker = schemaChecker();
  const schema = JSON.parse(text) as object;
  const build = () => {
    if (checker.validateSchema(schema) === false) throw new Error(checker.errorsText(checker.errors));
    return makeValidator({ ...options, validateSchema: false }).compile(schema);
  };
  const exceeded = () => new Error(`it takes longer than ${max_ms} ms to compile; simplify it`);
  const validate = inTime(build, { max_ms, exceeded });
  // It would answer with a promise, whose rejection nobody awaits.
  if ('$async' in validate) throw new Error('it cannot have $async');
  compiled.set(key, { validate, bytes: text.length });
  return validate;
}

/** Why nothing can be checked with a schema that somebody gave, or undefined. */
export function findSchemaError(schema: string): string | undefined {
  try {
    compile(schema, MAX_COMPILE_MS);
    return undefined;
  } catch (error) {
    return short((error as Error).message);
  }
}

/** The schema that `expand` makes of what somebody wrote, or why nothing can be checked with it. */
export function readShape(expand: () => JsonSchema, max_bytes: number): { schema: JsonSchema } | { problem: string } {
  try {
    const schema = expand();
    const text = writeSchema(schema);
    const bytes = Buffer.byteLength(text);
    if (bytes > max_bytes) return { problem: `has ${bytes} bytes as JSON; the limit is ${max_bytes}` };
    const error = findSchemaError(text);
    return error === undefined ? { schema } : { problem: `is not a JSON Schema: ${error}` };
  } catch (error) {
    if (error instanceof ShapeError) return { problem: error.message };
    throw error;
  }
}

/** Throws `ShapeError` for a schema that contains itself, as YAML allows. */
function writeSchema(schema: JsonSchema): string {
  try {
    return JSON.stringify(schema);
  } catch (error) {
    if (error instanceof TypeError) throw new ShapeError('must not contain itself');
    throw error;
  }
}

/** A larger schema takes the event loop too long to compile. */
const MAX_INPUTS_BYTES = 8192;

/** The JSON Schema of the inputs that a workflow declares, or what is wrong with the declaration. */
export function readInputs(declared: unknown): { schema: JsonSchema } | { problem: string } {
  const read = readShape(() => expandInputs(declared), MAX_INPUTS_BYTES);
  const problem = 'schema' in read ? findDefaultProblem(read.schema) : undefined;
  return problem === undefined ? read : { problem };
}

/** Says why a default is not accepted by its own schema: no run that leaves out this input could start. */
function findDefaultProblem(schema: JsonSchema): string | undefined {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, JsonSchema | boolean>> };
  const names = Object.entries(properties).flatMap(([name, property]) =>
    typeof property === 'object' && 'default' in property ? [name] : [],
  );
  if (names.length === 0) return undefined;
  try {
    const filled = fillDefaults(JSON.stringify(schema), { value: {}, called: 'defaults', at: '' });
    const errors = 'errors' in filled ? filled.errors : [];
    for (const name of names) {
      const pointer = pointerTo('', name);
      const error = errors.find((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`));
      if (error) return `the default of ${name} is not valid: ${error.pointer} ${error.message}`;
    }
    return undefined;
  } catch (error) {
    if (error instanceof CheckFailed) return error.message;
    throw error;
  }
}

/** A value with the name by which messages call it, and the pointer to it. */
export interface CheckedValue {
  value: unknown;
  /** As in `the check of the input takes longer than …`. */
  called: string;
  /** As in `/input`; faults are below it. */
  at: string;
}

/** Thrown when a check cannot be made: a pattern that backtracks, references in a circle, many alternatives. */
export class CheckFailed extends Error {}

/** What is wrong with a value, at most ten faults. Throws `CheckFailed`, also for a schema that does not compile here. */
export function findValueErrors(schema: string, input: CheckedValue): Fault[] {
  const validate = compileAccepted(schema, input);
  return isValid(validate, input) ? [] : toErrors(validate, input);
}

/** The value with the defaults of the schema where it has no member, or what is wrong with it. Throws `CheckFailed`. */
export function fillDefaults(schema: string, input: CheckedValue): { value: unknown } | { errors: Fault[] } {
  const validate = compileAccepted(schema, input, WITH_DEFAULTS);
  // The validator adds defaults to what it checks, and a schema knows only doubles.
  const filled = withDoubles(input.value);
  if (!isValid(validate, { ...input, value: filled })) return { errors: toErrors(validate, input) };
  return { value: addMissing(input.value, filled) };
}

const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Returns `value` itself unless something was added to it, so that its numbers and members stay as they were written. */
function addMissing(value: unknown, filled: unknown): unknown {
  if (!isHolder(value) || !isHolder(filled) || isNumber(value)) return value;
  if (Array.isArray(value)) {
    const items = value.map((item, at) => addMissing(item, (filled as unknown as unknown[])[at]));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const changes: [string, unknown][] = [];
  for (const [name, member] of Object.entries(filled)) {
    if (!Object.hasOwn(value, name)) changes.push([name, member]);
    else {
      const inner = addMissing(value[name], member);
      if (inner !== value[name]) changes.push([name, inner]);
    }
  }
  if (changes.length === 0) return value;
  const added = { ...value };
  for (const [name, member] of changes)
    Object.defineProperty(added, name, { value: member, enumerable: true, writable: true, configurable: true });
  return copySpelling(added, value);
}

function toErrors(validate: ValidateFunction, { at }: CheckedValue): Fault[] {
  return (validate.errors ?? [])
    .slice(0, MAX_ERRORS)
    .map(({ instancePath, keyword, message = 'is not valid', params }) => {
      const pointer = `${at}${instancePath}`;
      // The place is that of the member, so that a form and a flag can show what is wrong with it.
      if (keyword === 'required')
        return { pointer: short(pointerTo(pointer, String(params.missingProperty))), message: 'is required' };
      if (keyword === 'enum')
        return {
          pointer: short(pointer),
          message: short(`must be one of ${listed(params.allowedValues as unknown[])}`),
        };
      const kind = keyword === 'format' ? CHECKED_FORMATS[params.format as keyof typeof CHECKED_FORMATS] : undefined;
      if (kind !== undefined) return { pointer: short(pointer), message: `must be ${kind}` };
      if (keyword === 'additionalProperties')
        return { pointer: short(pointerTo(pointer, String(params.additionalProperty))), message: UNKNOWN_MEMBER };
      return { pointer: short(pointer), message: short(message) };
    });
}

const listed = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(', ');

function compileAccepted(schema: string, { called }: CheckedValue, options?: Options): ValidateFunction {
  try {
    return compile(schema, MAX_RECOMPILE_MS, options);
  } catch (error) {
    throw new CheckFailed(`the schema of the ${called} cannot be used: ${short((error as Error).message)}`, {
      cause: error,
    });
  }
}

/** The errors as one sentence, for the detail of an error. */
export const describeErrors = (errors: readonly Fault[]): string =>
  errors.map(({ pointer, message }) => `${pointer} ${message}`).join('; ');

function isValid(validate: ValidateFunction, { value, called }: CheckedValue): boolean {
  const exceeded = () =>
    new CheckFailed(`the check of the ${called} takes longer than ${MAX_CHECK_MS} ms; simplify the schema`);
  try {
    return inTime(() => validate(value) as boolean, { max_ms: MAX_CHECK_MS, exceeded });
  } catch (error) {
    if (error instanceof RangeError) throw new CheckFailed(`the ${called} cannot be checked: ${STACK_EXCEEDED}`);
    throw error;
  }
}

const short = (text: string): string => (text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
