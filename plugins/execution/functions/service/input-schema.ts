import { createHash } from 'node:crypto';
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import { BoundedMap, type Fault } from '../../../../kernel/contracts/index.ts';
import { inputInvalid } from '../errors.ts';
import { inTime } from './in-time.ts';

export const MAX_SCHEMA_BYTES = 64 * 1024;
const MAX_COMPILED = 256;
/** Bytes of the schemas that are kept compiled, which take fifty times as much memory. */
const MAX_COMPILED_BYTES = 2 * 1024 * 1024;
const MAX_ERRORS = 10;
/** Characters of a pointer, or of a message, which quote the names of an input of 2 MiB. */
const MAX_QUOTED = 300;
const MAX_CHECK_MS = 50;
const MAX_COMPILE_MS = 250;
/** A schema that was accepted is compiled again on slower machines. */
const MAX_RECOMPILE_MS = 4 * MAX_COMPILE_MS;
const STACK_EXCEEDED = 'references of the schema run in a circle';

/** A schema with references is compiled once for each of them otherwise: 18 KiB become gigabytes. */
const OPTIONS: Options = { strict: false, validateFormats: false, allErrors: true, logger: false, inlineRefs: false };

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

/** Compiled schemas of inputs, by their digest. */
const compiled = new BoundedMap<string, { validate: ValidateFunction; bytes: number }>(MAX_COMPILED, {
  max_weight: MAX_COMPILED_BYTES,
  weigh: ({ bytes }) => bytes,
});

/** Each schema has a compiler of its own, because two of them may have the same `$id`. */
function compile(text: string, max_ms: number): ValidateFunction {
  const key = createHash('sha256').update(text).digest('hex');
  const cached = compiled.get(key);
  if (cached !== undefined) return cached.validate;
  const checker = schemaChecker();
  const schema = JSON.parse(text) as object;
  const build = () => {
    if (checker.validateSchema(schema) === false) throw new Error(checker.errorsText(checker.errors));
    return new Ajv2020({ ...OPTIONS, validateSchema: false }).compile(schema);
  };
  const exceeded = () => new Error(`it takes longer than ${max_ms} ms to compile; simplify it`);
  const validate = inTime(build, { max_ms, exceeded });
  // It would answer with a promise, whose rejection nobody awaits.
  if ('$async' in validate) throw new Error('it cannot have $async');
  compiled.set(key, { validate, bytes: text.length });
  return validate;
}

/** Why nothing can be checked with a schema, or undefined. */
export function findSchemaError(schema: string): string | undefined {
  try {
    compile(schema, MAX_COMPILE_MS);
    return undefined;
  } catch (error) {
    return short((error as Error).message);
  }
}

/** Throws `input_invalid` with the errors of an input. */
export function assertInput(schema: string, input: unknown): void {
  const errors = findInputErrors(schema, input);
  if (errors.length > 0) throw toInputError(errors);
}

export const toInputError = (errors: Fault[]) =>
  inputInvalid(errors.map(({ pointer, message }) => `${pointer} ${message}`).join('; '), { errors });

/** What a check of an input has found, as it is copied between threads. */
export interface InputFindings {
  errors: Fault[];
  /** Why the check could not be made. */
  failure?: string;
}

/** What is wrong with an input, at most ten faults with their pointers below `/input`. */
export function findInputErrors(schema: string, input: unknown): Fault[] {
  const validate = compile(schema, MAX_RECOMPILE_MS);
  if (isValid(validate, input)) return [];
  return (validate.errors ?? []).slice(0, MAX_ERRORS).map(({ instancePath, message = 'is not valid', params }) => {
    const detail = 'additionalProperty' in params ? ` (${short(String(params.additionalProperty))})` : '';
    return { pointer: short(`/input${instancePath}`), message: `${short(message)}${detail}` };
  });
}

/** Throws `input_invalid` for a check that cannot be made: a pattern that backtracks, references in a circle, many alternatives. */
function isValid(validate: ValidateFunction, input: unknown): boolean {
  const exceeded = () =>
    inputInvalid(`the check of the input takes longer than ${MAX_CHECK_MS} ms; simplify the schema`);
  try {
    return inTime(() => validate(input) as boolean, { max_ms: MAX_CHECK_MS, exceeded });
  } catch (error) {
    if (error instanceof RangeError) throw inputInvalid(`the input cannot be checked: ${STACK_EXCEEDED}`);
    throw error;
  }
}

const short = (text: string): string => (text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
