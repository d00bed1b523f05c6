import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';

// The package is CommonJS: at run time its default export is the function, for the type checker it is the module.
export const addFormats = addFormatsModule as unknown as (ajv: Ajv2020, names?: readonly string[]) => Ajv2020;

/**
 * Strict, so that a misspelled keyword or a value of the wrong type fails when a schema is compiled instead of validating
 * nothing. Validating each schema against the meta-schema would find little more, such as a negative length, and takes a tenth
 * of a second of every start. Two rules are relaxed: `required` inside `anyOf` expresses "one of these members", and a list of
 * types expresses "or null".
 */
const RULES: Options = {
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  validateSchema: false,
  logger: false,
  // Optimizing the code of a validator costs a third of compiling it, which the first requests after a start wait for. V8 does
  // the same once a validator is called often.
  code: { optimize: false },
};

function make(allErrors: boolean): Ajv2020 {
  return addFormats(new Ajv2020({ ...RULES, allErrors }));
}

/** Stops at the first error, so that the cost does not grow with a large invalid document. */
export const failFast = make(false);

/** Lists every error. Only for documents that are small enough for that. */
export const collectAll = make(true);
