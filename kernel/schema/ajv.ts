import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';

// The package is CommonJS: under Node its default export is the function, for the type checker the module.
const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => Ajv2020;

/**
 * Strict, so that a misspelt keyword fails at boot instead of validating nothing. `required` inside a branch of
 * `anyOf` is how "one of these members" is written, and a type list is how "or null" is.
 */
const RULES: Options = {
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  validateSchema: true,
  logger: false,
};

function make(allErrors: boolean): Ajv2020 {
  return addFormats(new Ajv2020({ ...RULES, allErrors }));
}

/** Stops at the first fault: the verdict costs the same however large a wrong document is. */
export const firstFault = make(false);

/** Lists every fault; only for documents small enough to be listed. */
export const everyFault = make(true);
