import { Errors, type Fault, type JsonSchema } from '../../kernel/contracts/index.ts';
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

/** Converts a text only for validation against a declared type; the handler still reads the text. */
function coercions(schema: JsonSchema): Map<string, Coercion> {
  const found = new Map<string, Coercion>();
  for (const [name, member] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
    const coerce = COERCIONS[String(member.type)];
    if (coerce) found.set(name, coerce);
  }
  return found;
}

function parse(search: string): Record<string, string> {
  const query = Object.create(null) as Record<string, string>;
  for (const [key, value] of new URLSearchParams(search)) query[key] = value;
  return query;
}

function refuse(faults: Fault[]): never {
  const errors = faults.map(({ pointer, message }) => ({ pointer: `/query${pointer}`, message }));
  const [first] = errors;
  throw Errors.invalidRequest(`the query is not valid: ${first!.pointer.slice('/query/'.length)} ${first!.message}`, {
    errors,
  });
}

/** Compiled once for all routes without a query. */
const NO_QUERY: JsonSchema = { additionalProperties: false, type: 'object' };

/** A route without a query schema accepts no query: an ignored filter is worse than a refused one. */
export function queryReader(schema: JsonSchema | undefined): QueryReader {
  const closed = schema === undefined ? NO_QUERY : { ...NO_QUERY, ...schema };
  const validate: Validator = compile(closed);
  const typed = coercions(closed);
  return (search) => {
    if (search === '' && schema === undefined) return EMPTY;
    const query = parse(search);
    const values = Object.create(null) as Record<string, unknown>;
    for (const [key, text] of Object.entries(query)) values[key] = (typed.get(key) ?? String)(text);
    const faults = validate(values, { all: true });
    if (faults.length > 0) refuse(faults);
    return query;
  };
}
