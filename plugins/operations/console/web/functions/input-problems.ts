import { createContext } from 'react';
import { Refusal } from '../api/client.ts';
import { fieldOf, labelOf, resolved, type Schema } from '../graphs/editor/schema-fields.ts';
import { isObject } from './input.ts';

/** What is wrong with the members of an input, by their pointers. */
export type InputProblems = ReadonlyMap<string, string>;

export const NO_PROBLEMS: InputProblems = new Map();

export const InputProblemsContext = createContext<InputProblems>(NO_PROBLEMS);

export const pointerTo = (pointer: string, name: string): string =>
  `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Deeper members are edited as JSON, and the server checks them. */
const MAX_DEPTH = 3;

/** The required members that have no value yet. */
export function missingIn(given: Schema, root: Schema, value: unknown, pointer = '', depth = 0): InputProblems {
  const field = fieldOf(resolved(given, root), root);
  if (field.kind !== 'object' || depth >= MAX_DEPTH) return NO_PROBLEMS;
  const found = new Map<string, string>();
  for (const { name, schema, required } of field.members) {
    const own = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    const at = pointerTo(pointer, name);
    const inner = missingIn(schema, root, own, at, depth + 1);
    const isGroup = fieldOf(resolved(schema, root), root).kind === 'object' && depth + 1 < MAX_DEPTH;
    if (required && own === undefined && (!isGroup || inner.size === 0))
      found.set(at, `${labelOf(name, resolved(schema, root))} is required.`);
    // An object that may be left out is not missing its members.
    if (required || own !== undefined) for (const [key, message] of inner) found.set(key, message);
  }
  return found;
}

/** What the server says of the input's members. */
export function problemsOf(error: unknown): InputProblems {
  const errors = error instanceof Refusal ? (error.problem.errors ?? []) : [];
  return new Map(
    errors
      .filter(({ pointer }) => /^\/input(\/|$)/.test(pointer))
      .map(({ pointer, message }) => [pointer.slice('/input'.length), message]),
  );
}
