import type { ErrorObject } from 'ajv';
import type { Fault } from '../../../kernel/contracts/index.ts';
import { pointerTo } from './pointer.ts';

/** Maximum number of listed faults; the first ones name the cause. */
const MAX_FAULTS = 50;

/** The message of a member that the schema does not know. */
export const UNKNOWN_MEMBER = 'is not a known member';

type Params = Record<string, unknown>;

const WORDS: Record<string, (params: Params) => string> = {
  additionalProperties: () => UNKNOWN_MEMBER,
  unevaluatedProperties: () => UNKNOWN_MEMBER,
  required: () => 'is required',
  type: ({ type }) => `must be ${[type].flat().join(' or ')}`,
  enum: ({ allowedValues }) =>
    `must be one of ${(allowedValues as unknown[]).map((v) => JSON.stringify(v)).join(', ')}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
};

function place({ instancePath, params, keyword }: ErrorObject): string {
  const { additionalProperty, unevaluatedProperty, missingProperty, propertyName } = params as Record<string, string>;
  if (keyword === 'additionalProperties') return pointerTo(instancePath, additionalProperty!);
  if (keyword === 'unevaluatedProperties') return pointerTo(instancePath, unevaluatedProperty!);
  if (keyword === 'required') return pointerTo(instancePath, missingProperty!);
  if (keyword === 'propertyNames') return pointerTo(instancePath, propertyName!);
  return instancePath;
}

/** ajv's errors in our words. They name schema and place and never the value, which may be a secret. */
export function toFaults(errors: readonly ErrorObject[]): Fault[] {
  // What a condition asked for is an error of its own.
  const told = errors.filter(({ keyword }) => keyword !== 'if');
  return told.slice(0, MAX_FAULTS).map((error) => ({
    pointer: place(error),
    message: WORDS[error.keyword]?.(error.params as Params) ?? error.message ?? 'is not valid',
  }));
}
