import { createHash } from 'node:crypto';
import { createContext, Script } from 'node:vm';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { BoundedMap, type Fault } from '../../../../kernel/contracts/index.ts';
import { functionsInvalid, inputInvalid } from '../errors.ts';

const MAX_SCHEMA_BYTES = 64 * 1024;
const MAX_COMPILED = 256;
const MAX_ERRORS = 10;
const MAX_CHECK_MS = 50;

/** Compiled schemas of inputs, by their digest. */
const compiled = new BoundedMap<string, ValidateFunction>(MAX_COMPILED);

/** Each schema has a compiler of its own, because two of them may have the same `$id`. */
function compile(text: string): ValidateFunction {
  const key = createHash('sha256').update(text).digest('hex');
  const cached = compiled.get(key);
  if (cached !== undefined) return cached;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, logger: false });
  const validate = ajv.compile(JSON.parse(text) as object);
  // It would answer with a promise, whose rejection nobody awaits.
  if ('$async' in validate) throw functionsInvalid('an input schema cannot have $async');
  compiled.set(key, validate);
  return validate;
}

/** Throws `functions_invalid` for a schema that nothing can be checked with. */
export function checkInputSchema(name: string, schema: unknown): void {
  if (schema === undefined) return;
  const text = JSON.stringify(schema);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_SCHEMA_BYTES)
    throw functionsInvalid(`the input schema of ${name} has ${bytes} bytes; the limit is ${MAX_SCHEMA_BYTES}`);
  try {
    compile(text);
  } catch (error) {
    throw functionsInvalid(`the input schema of ${name} is not a JSON Schema: ${(error as Error).message}`);
  }
}

const CALL = new Script('check()');
const CONTEXT = createContext({ check: () => true });

/**
 * Answers `check()`. Throws `input_invalid` when it takes so long that other requests would wait: a pattern that backtracks,
 * references in a circle, or many alternatives for a large input.
 */
function inTime(check: () => boolean): boolean {
  CONTEXT.check = check;
  try {
    return CALL.runInContext(CONTEXT, { timeout: MAX_CHECK_MS }) as boolean;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw inputInvalid(`the check of the input takes longer than ${MAX_CHECK_MS} ms; simplify the schema`);
    throw error;
  } finally {
    CONTEXT.check = undefined;
  }
}

/** Throws `input_invalid` with the errors of an input. */
export function assertInput(schema: string, input: unknown): void {
  const errors = findInputErrors(schema, input);
  if (errors.length > 0)
    throw inputInvalid(errors.map(({ pointer, message }) => `${pointer} ${message}`).join('; '), { errors });
}

/** What is wrong with an input, at most ten faults with their pointers below `/input`. */
export function findInputErrors(schema: string, input: unknown): Fault[] {
  const validate = compile(schema);
  if (inTime(() => validate(input) as boolean)) return [];
  return (validate.errors ?? []).slice(0, MAX_ERRORS).map(({ instancePath, message = 'is not valid', params }) => {
    const detail = 'additionalProperty' in params ? ` (${String(params.additionalProperty)})` : '';
    return { pointer: `/input${instancePath}`, message: `${message}${detail}` };
  });
}
