import type { Expression, Expressions } from '../../../../kernel/contracts/index.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { PREDICATE_ROOTS } from './predicate-result.ts';
import { WaitValueErrors } from './wait-errors.ts';

/** Maximum bytes of the JSON of the values that one wait stores. */
export const MAX_VALUES_BYTES = 16 * 1024;

/** More than the members of any path. */
const MAX_DEPTH = Number.MAX_SAFE_INTEGER;

type Scope = Readonly<Record<string, unknown>>;
/** Values by the names that a predicate uses beside `event`. */
export type WaitValues = { [root: string]: Json };

/** The names that a predicate with these values can use. */
export const predicateRoots = (values: WaitValues | undefined): readonly string[] =>
  values === undefined ? PREDICATE_ROOTS : [...PREDICATE_ROOTS, ...Object.keys(values)];

/**
 * Returns what a predicate reads from a scope besides the event, as it is now: only the members that it names, in the
 * form that it reads them. Undefined if it reads only the event. Throws `expression_invalid`, `wait_value_missing` and
 * `wait_values_too_large`.
 */
export function pickWaitValues(expressions: Expressions, when: string, scope: Scope): WaitValues | undefined {
  const roots = Object.keys(scope).filter((root) => when.includes(root));
  if (roots.length === 0) return undefined;
  const paths = expressions.compile(when, [...PREDICATE_ROOTS, ...roots]).paths(roots);
  if (paths.length === 0) return undefined;
  const values = pickPaths(paths, scope);
  const bytes = Buffer.byteLength(JSON.stringify(values));
  if (bytes <= MAX_VALUES_BYTES) return values;
  throw WaitValueErrors.valuesTooLarge(
    `the values that \`when\` uses are ${bytes} bytes of JSON; the limit is ${MAX_VALUES_BYTES}`,
  );
}

/**
 * The part of the arguments of a wait that a node has for its `when`, with what this reads from the scope of the node.
 * Throws `expression_invalid`, `wait_value_missing` and `wait_values_too_large`.
 */
export function readPredicate(expressions: Expressions, when: Json, scope: Scope): { when: Json; values?: WaitValues } {
  const values = typeof when === 'string' ? pickWaitValues(expressions, when, scope) : undefined;
  return values === undefined ? { when } : { when, values };
}

type Paths = ReturnType<Expression['paths']>;

function pickPaths(paths: Paths, scope: Scope): WaitValues {
  const tested = new Set(paths.flatMap((path) => (path.tested ? [pathKey(path.root, path.members)] : [])));
  const values = newObject();
  const complete = new Set<string>();
  const rank = (path: Paths[number]) => (path.tested ? MAX_DEPTH : path.members.length);
  // A path comes before the longer ones that it contains, and those that are only tested come last.
  for (const { root, members, tested: only_tested } of paths.toSorted((a, b) => rank(a) - rank(b))) {
    let [from, to] = [scope as unknown, values];
    for (const [depth, member] of [root, ...members].entries()) {
      const key = pathKey(root, members.slice(0, depth));
      if (complete.has(key)) break;
      if (!hasMember(from, member)) {
        if (tested.has(key)) break;
        throw WaitValueErrors.valueMissing(
          `\`when\` uses ${formatPath(root, members.slice(0, depth))}, which does not exist`,
        );
      }
      from = from[member];
      if (depth === members.length && !only_tested) {
        to[member] = (from ?? null) as Json;
        complete.add(key);
      } else to = (to[member] ??= newObject()) as WaitValues;
    }
  }
  return values;
}

/** It has no prototype, so that a member can have any name. */
const newObject = (): WaitValues => Object.create(null) as WaitValues;

const pathKey = (root: string, members: readonly string[]): string => JSON.stringify([root, ...members]);

/** Numbers with an exact spelling are objects of a class; they have no members. */
export function hasMember(value: unknown, member: string): value is Record<string, unknown> {
  if (value === null || typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.hasOwn(value, member);
}

/** Names that follow a dot. A reserved word cannot. */
const NAME = /^(?!(?:in|true|false|null)$)[A-Za-z_]\w*$/;

export const formatPath = (root: string, members: readonly string[]): string =>
  root + members.map((member) => (NAME.test(member) ? `.${member}` : `[${JSON.stringify(member)}]`)).join('');
