import type { ErrorObject } from 'ajv';
import type { Fault } from '../../../../kernel/contracts/index.ts';
import { pointerTo } from './pointer.ts';

/** The maximum number of listed errors. The first ones name the cause. */
const MAX_ERRORS = 50;
/** Each alternative has errors of its own, most of which are left out. */
const MAX_CONSIDERED = 10 * MAX_ERRORS;

/** The message of a member that the schema does not know. */
export const UNKNOWN_MEMBER = 'is not a known member';

type Params = Record<string, unknown>;

const WORDS: Record<string, (params: Params) => string> = {
  additionalProperties: () => UNKNOWN_MEMBER,
  unevaluatedProperties: () => UNKNOWN_MEMBER,
  required: () => 'is required',
  type: ({ type }) => `must be ${[type].flat().map(withArticle).join(' or ')}`,
  enum: ({ allowedValues }) =>
    `must be one of ${(allowedValues as unknown[]).map((v) => JSON.stringify(v)).join(', ')}`,
  minLength: ({ limit }) => `must have at least ${count(limit, 'character')}`,
  maxLength: ({ limit }) => `must have at most ${count(limit, 'character')}`,
  minItems: ({ limit }) => `must have at least ${count(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${count(limit, 'item')}`,
  minProperties: ({ limit }) => `must have at least ${count(limit, 'member')}`,
  maxProperties: ({ limit }) => `must have at most ${count(limit, 'member')}`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
};

/** `an object`, `a string`, and `null`, which is a value. */
const withArticle = (type: unknown): string =>
  type === 'null' ? 'null' : `${/^[aeiou]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`;

const count = (limit: unknown, what: string): string => `${String(limit)} ${what}${limit === 1 ? '' : 's'}`;

function pointerOf({ instancePath, params, keyword }: ErrorObject): string {
  const { additionalProperty, unevaluatedProperty, missingProperty, propertyName } = params as Record<string, string>;
  if (keyword === 'additionalProperties') return pointerTo(instancePath, additionalProperty!);
  if (keyword === 'unevaluatedProperties') return pointerTo(instancePath, unevaluatedProperty!);
  if (keyword === 'required') return pointerTo(instancePath, missingProperty!);
  if (keyword === 'propertyNames') return pointerTo(instancePath, propertyName!);
  return instancePath;
}

/** Converts ajv's errors to ours. They name the rule and the pointer, and never the value, which may be a secret. */
export function toValidationErrors(errors: readonly ErrorObject[]): Fault[] {
  // The failed branch of a condition has its own error.
  const considered = errors.filter(({ keyword }) => keyword !== 'if').slice(0, MAX_CONSIDERED);
  const reported = withoutAlternatives(considered);
  return reported.slice(0, MAX_ERRORS).map((error) => ({
    pointer: pointerOf(error),
    message: WORDS[error.keyword]?.(error.params as Params) ?? error.message ?? 'is not valid',
  }));
}

/** One value may match several alternatives of `oneOf`, which none of their errors says. */
const isUnmatched = ({ keyword, params }: ErrorObject): boolean =>
  keyword === 'anyOf' || (keyword === 'oneOf' && (params as Params).passingSchemas === null);

/**
 * Leaves out, for a value of one of several types, what is wrong with it as a value of the others. For a value of none of
 * these types, one error lists them.
 */
function withoutAlternatives(errors: readonly ErrorObject[]): ErrorObject[] {
  let reported = [...errors];
  for (const failed of errors.filter(isUnmatched)) {
    const path = `${failed.schemaPath}/`;
    const below = reported.filter((one) => one !== failed && isBelow(one, failed));
    const found = below.filter(({ schemaPath }) => schemaPath.startsWith(path));
    const branches = [
      ...Map.groupBy(found, ({ schemaPath }) => schemaPath.slice(path.length).split('/', 1)[0]).values(),
    ];
    const others = branches.filter((branch) => branch.some((one) => isOtherType(one, failed)));
    const matching_count = branches.length - others.length;
    // The errors of an alternative that is a reference have other paths.
    const has_hidden = below.length > found.length;
    if (others.length === 0 || matching_count > 1 || (matching_count === 0 && has_hidden)) continue;
    const dropped = new Set(others.flat());
    const type = others.flat().flatMap((one) => (isOtherType(one, failed) ? (one.params as Params).type : []));
    const replacement = matching_count === 0 ? [{ ...failed, keyword: 'type', params: { type } }] : [];
    reported = reported.flatMap((one) => (one === failed ? replacement : dropped.has(one) ? [] : [one]));
  }
  return reported;
}

const isBelow = ({ instancePath }: ErrorObject, failed: ErrorObject): boolean =>
  instancePath === failed.instancePath || instancePath.startsWith(`${failed.instancePath}/`);

const isOtherType = ({ keyword, instancePath }: ErrorObject, failed: ErrorObject): boolean =>
  keyword === 'type' && instancePath === failed.instancePath;
