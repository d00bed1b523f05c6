import { Errors, type Fault, type JsonSchema } from '../../../kernel/contracts/index.ts';
import { compile, type Validator } from '../schema/contract.ts';

export type QueryReader = (search: string) => Readonly<Record<string, string>>;

type Coercion = (text: string) => unknown;

const NUMBER = /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?$/;
const EMPTY: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

const COERCIONS: Record<string, Coercion> = {
  integer: (text) => (NUMBER.test(text) ? Number(text) : text),
  number: (text) => (NUMBER.test(text) ? Number(text) : text),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
};

/** Returns converters to the declared types. Values are converted only for validation: the handler reads the text. */
function coercions(schema: JsonSchema): Map<string, Coercion> {
  const result = new Map<string, Coercion>();
  for (const [name, member] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
    const coerce = COERCIONS[String(member.type)];
    if (coerce) result.set(name, coerce);
  }
  return result;
}

function parse(search: string): Record<string, string> {
  const query = Object.create(null) as Record<string, string>;
  for (const [key, value] of new URLSearchParams(search)) query[key] = value;
  return query;
}

function throwInvalid(validation_errors: Fault[]): never {
  const errors = validation_errors.map(({ pointer, message }) => ({ pointer: `/query${pointer}`, message }));
  const [first] = errors;
  throw Errors.invalidRequest(`the query is not valid: ${first!.pointer.slice('/query/'.length)} ${first!.message}`, {
    errors,
  });
}

/** Compiled once for all routes without a query. */
const NO_QUERY: JsonSchema = { additionalProperties: false, type: 'object' };

/** A route without a query schema accepts no query: a filter that is ignored would be worse than an error. */
export function queryReader(schema: JsonSchema | undefined): QueryReader {
  const closed = schema === undefined ? NO_QUERY : { ...NO_QUERY, ...schema };
  const validate: Validator = compile(closed);
  const converters = coercions(closed);
  return (search) => {
    if (search === '' && schema === undefined) return EMPTY;
    const query = parse(search);
    const values = Object.create(null) as Record<string, unknown>;
    for (const [key, text] of Object.entries(query)) values[key] = (converters.get(key) ?? String)(text);
    const validation_errors = validate(values, { all: true });
    if (validation_errors.length > 0) throwInvalid(validation_errors);
    return query;
  };
}
