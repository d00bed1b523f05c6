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
/** `allOf` is merged to this depth. */
const MAX_DEPTH = 8;

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

  /** A schema with the members of its `allOf`. */
  schema(value: unknown, depth = 0): JsonObject {
    const { allOf, ...schema } = this.resolve(value) ?? {};
    if (!Array.isArray(allOf) || depth === MAX_DEPTH) return schema;
    const schemas = [schema, ...allOf.map((one) => this.schema(one, depth + 1))];
    return Object.assign({}, ...schemas.toReversed(), {
      properties: Object.assign(
        {},
        ...schemas.toReversed().map(({ properties }) => toObject(properties)),
      ) as JsonObject,
      required: schemas.flatMap(({ required }) => toList(required)),
    }) as JsonObject;
  }
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
