import type { ManifestValue } from '../../manifests/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { validateValue } from '../domain/values.ts';
import { isCompact, isObject, type JsonObject, type OpenapiDocument, toList, toText } from './document.ts';

type ValueType = ManifestValue['type'];

const TYPES: readonly string[] = ['string', 'integer', 'number', 'boolean', 'array', 'object'];
const MAX_TITLE = 200;
const MAX_DESCRIPTION = 4000;
const MAX_CHOICES = 256;

/** `title` and `description` as far as a manifest can have them. */
export function describe(title: unknown, description: unknown): { title?: string; description?: string } {
  const [short, long] = [toText(title), toText(description)];
  return {
    ...(short ? { title: short.slice(0, MAX_TITLE) } : {}),
    ...(long && long !== short ? { description: long.slice(0, MAX_DESCRIPTION) } : {}),
  };
}

/** The type of a value; `any` when the schema allows several. */
export function typeOf(schema: JsonObject): ValueType {
  const types = [schema.type].flat().filter((one) => typeof one === 'string' && one !== 'null');
  if (types.length === 1 && TYPES.includes(types[0] as string)) return types[0] as ValueType;
  return types.length === 0 && isObject(schema.properties) ? 'object' : 'any';
}

/** A parameter or a property as an input of an action. */
export function toInput(
  name: string,
  schema: JsonObject,
  more: { required: boolean; description: unknown },
): ManifestValue {
  const type = typeOf(schema);
  const choices = isCompact(schema.enum) ? toList(schema.enum).filter((one) => typeof one === 'string') : [];
  const value: ManifestValue = {
    name,
    type,
    ...(more.required ? { required: true } : {}),
    ...(type === 'string' && choices.length > 0 && choices.length <= MAX_CHOICES
      ? { one_of: choices as string[] }
      : {}),
    ...describe(undefined, more.description ?? schema.description),
  };
  const preset = schema.default;
  if (more.required || preset === undefined || preset === null || !isCompact(preset) || validateValue(value, preset))
    return value;
  return { ...value, default: preset as ManifestValue['default'] };
}

const BY_TYPE: Record<ValueType, Json> = {
  string: 'text',
  integer: 1,
  number: 1,
  boolean: true,
  array: [],
  object: {},
  any: 'text',
};

/** A value for an example: one that the document gives, or one of the right type. */
export function sampleOf(input: ManifestValue, document: OpenapiDocument, ...holders: readonly JsonObject[]): Json {
  const samples = holders.flatMap(({ example, examples }) => [example, ...samplesIn(examples, document)]);
  const matching = samples.find(
    (one) => one !== undefined && one !== null && isCompact(one) && validateValue(input, one) === undefined,
  );
  return matching ?? input.one_of?.[0] ?? BY_TYPE[input.type];
}

/** The values of `examples`: a list in a schema, or objects by name elsewhere. */
export function samplesIn(examples: Json | undefined, document: OpenapiDocument): (Json | undefined)[] {
  if (Array.isArray(examples)) return examples;
  if (!isObject(examples)) return [];
  return Object.values(examples).map((one) => document.resolve(one)?.value);
}
