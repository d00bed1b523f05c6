import type { Expression } from '../../../../kernel/contracts/index.ts';
import { equalityKey } from '../../../platform/expressions/contract.ts';
import { parseExact } from '../../../platform/schema/contract.ts';
import type { WaitValues } from '../contract.ts';
import { formatPath, hasMember } from '../contract/wait-values.ts';

/** Longer paths are not stored: their predicates are evaluated for every event. */
const MAX_PATH_CHARACTERS = 1000;

/** What an event must contain to end a wait: the values of some members, as texts that are equal exactly if the values are. */
export interface Equalities {
  /** The paths of the members from the envelope on, in the order of their texts. */
  paths: readonly (readonly string[])[];
  keys: readonly string[];
}

/** Finds what a predicate with these values demands of an event; undefined if nothing is known. */
export function findEqualities(predicate: Expression, values: WaitValues | undefined): Equalities | undefined {
  // As they are stored, because that is what the predicate will read.
  const stored = values === undefined ? {} : (parseExact(JSON.stringify(values)) as WaitValues);
  const keys = new Map<string, string>();
  for (const { members, key } of predicate.equalities('event', stored)) {
    const path = JSON.stringify(members);
    // One comparison of a member is enough: the predicate is still evaluated for the events that it lets through.
    if (path.length <= MAX_PATH_CHARACTERS && !keys.has(path)) keys.set(path, key);
  }
  if (keys.size === 0) return undefined;
  const sorted = [...keys].sort(([a], [b]) => (a < b ? -1 : 1));
  return { paths: sorted.map(([path]) => JSON.parse(path) as string[]), keys: sorted.map(([, key]) => key) };
}

/** Reads the values of members of an event, or names the first one that is missing or can equal nothing. */
export function readKeys(
  envelope: unknown,
  paths: Equalities['paths'],
): { keys: readonly string[] } | { unequal: readonly string[] } {
  const keys: string[] = [];
  for (const path of paths) {
    const key = equalityKey(readMember(envelope, path));
    if (key === undefined) return { unequal: path };
    keys.push(key);
  }
  return { keys };
}

/** Returns a predicate that is false or fails for an event with an `unequal` member, as the predicates of the waits do. */
export const comparisonOf = (path: readonly string[]): string => `${formatPath('event', path)} == null`;

/** Selects a member as expressions do: only objects have members, and only those of their own. */
function readMember(envelope: unknown, path: readonly string[]): unknown {
  let value = envelope;
  for (const member of path) {
    if (!hasMember(value, member)) return undefined;
    value = value[member];
  }
  return value;
}
