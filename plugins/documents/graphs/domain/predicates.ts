import { pointerTo } from '../../../platform/schema/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import type { NodeConfig } from '../contract.ts';
import type { CompiledNodeType } from './node-type-catalog.ts';
import { isObject } from './values.ts';

/** A predicate as it stands in a config, whatever it is. */
interface WrittenPredicate {
  pointer: string;
  value: Json;
}

/** Every entry of a list. */
const EACH_ENTRY = '[]';
/** `for[].when` is the members `for`, `[]` and `when`. */
const SEPARATOR = /\.|(?=\[\])/;

/** Separates the predicates of a config from the rest of it. */
export function splitPredicates(
  { predicates: names = [] }: Pick<CompiledNodeType, 'predicates'>,
  config: NodeConfig,
  pointer: string,
): { predicates: WrittenPredicate[]; rest: NodeConfig } {
  const predicates: WrittenPredicate[] = [];
  const extract = (value: Json, at: string, [first, ...more]: readonly string[]): Json => {
    if (first === EACH_ENTRY)
      return Array.isArray(value) ? value.map((one, i) => extract(one, pointerTo(at, i), more)) : value;
    if (first === undefined || !isObject(value) || !Object.hasOwn(value, first)) return value;
    const { [first]: found = null, ...rest } = value;
    const found_at = pointerTo(at, first);
    if (more.length > 0) return { ...rest, [first]: extract(found, found_at, more) };
    predicates.push({ pointer: found_at, value: found });
    return rest;
  };
  let rest: Json = { ...config };
  for (const name of names) rest = extract(rest, pointer, name.split(SEPARATOR));
  return { predicates, rest: rest as NodeConfig };
}
