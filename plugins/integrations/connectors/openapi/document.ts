import type { Json } from '../../../engine/runs/contract.ts';
import { stepsOf } from '../../../platform/schema/contract.ts';

export type JsonObject = { readonly [name: string]: Json };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const toObject = (value: unknown): JsonObject => (isObject(value) ? value : {});
export const toList = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
export const toText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

/** A document refers to itself at most this often in a row. */
const MAX_REFERENCES = 16;
/** `allOf` is merged to this depth, and at most this many schemas. */
const MAX_DEPTH = 8;
const MAX_SCHEMAS = 256;

/** An OpenAPI document. References within the document are resolved; others are not. */
export class OpenapiDocument {
  readonly root: JsonObject;

  constructor(root: JsonObject) {
    this.root = root;
  }

  /** Returns the object that a value is or refers to; undefined for a reference to another document. */
  resolve(value: unknown): JsonObject | undefined {
    let target: unknown = value;
    for (let hop = 0; hop < MAX_REFERENCES && isObject(target); hop += 1) {
      const { $ref } = target;
      if (typeof $ref !== 'string') return target;
      if (!$ref.startsWith('#/')) return undefined;
      target = stepsOf(decode($ref.slice(1))).reduce<unknown>(
        (holder, step) => (isObject(holder) && Object.hasOwn(holder, step) ? holder[step] : undefined),
        this.root,
      );
    }
    return undefined;
  }

  /** A schema with the members of its `allOf`. What a schema says itself wins, and then what comes first. */
  schema(value: unknown): JsonObject {
    const schemas: JsonObject[] = [];
    this.#collect(value, schemas, 0);
    const [only, ...others] = schemas;
    if (only === undefined || others.length === 0) return only ?? {};
    const fromLast = schemas.toReversed();
    return Object.assign({}, ...fromLast, {
      properties: Object.assign({}, ...fromLast.map(({ properties }) => toObject(properties))) as JsonObject,
      required: schemas.flatMap(({ required }) => toList(required)),
    }) as JsonObject;
  }

  /** A schema can name itself, or the same schemas on many paths, so their number is limited too. */
  #collect(value: unknown, schemas: JsonObject[], depth: number): void {
    if (schemas.length === MAX_SCHEMAS) return;
    const { allOf, ...schema } = this.resolve(value) ?? {};
    schemas.push(schema);
    if (Array.isArray(allOf) && depth < MAX_DEPTH) for (const one of allOf) this.#collect(one, schemas, depth + 1);
  }
}

/** Values of a document that a manifest repeats have at most this many characters, and nest at most this deep. */
const MAX_VALUE_LENGTH = 16 * 1024;
const MAX_VALUE_DEPTH = 32;

/** True for JSON that a manifest can repeat. With the aliases of YAML, a value can be huge, or contain itself. */
export function isCompact(value: unknown): boolean {
  let length = 0;
  const measure = (one: unknown, depth: number): boolean => {
    length += typeof one === 'string' ? one.length + 2 : 4;
    if (length > MAX_VALUE_LENGTH) return false;
    if (typeof one === 'function') return false;
    if (typeof one !== 'object' || one === null) return true;
    if (depth === MAX_VALUE_DEPTH) return false;
    for (const name in one) {
      if (!Object.hasOwn(one, name)) continue;
      length += name.length;
      if (!measure((one as Record<string, unknown>)[name], depth + 1)) return false;
    }
    return true;
  };
  return measure(value, 0);
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
