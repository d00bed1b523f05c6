import { similarNames } from '../../../platform/schema/contract/nearest.ts';
import type { TypeView } from './answers.ts';
import { formatAgo } from './eligible-agents.ts';

/** A short name is a different one after fewer edits than a long one. */
const MIN_LENGTH = 4;

/** True for a name that was probably meant: another one that is similar, whatever the case of its letters. */
export function isSimilar(wanted: string, found: string): boolean {
  if (wanted === found || Math.min(wanted.length, found.length) < MIN_LENGTH) return false;
  return similarNames(wanted.toLowerCase(), [found.toLowerCase()]).length > 0;
}

/** `order.paid*` is near to `order.payd.late`: of a pattern with a star only the beginning counts. */
export function isSimilarPattern(pattern: string, type: string): boolean {
  if (!pattern.endsWith('*')) return isSimilar(pattern, type);
  const begin = pattern.slice(0, -1);
  return !type.startsWith(begin) && isSimilar(begin, type.slice(0, begin.length));
}

/** Events of nearly the same type that were recorded: one of the two names is probably a slip. */
export function describeSimilarEvents(
  name: string,
  { types = [], now }: { types?: readonly TypeView[]; now: number },
): string[] {
  const recorded = types.filter(({ last_seen }) => last_seen !== undefined);
  const near = recorded.filter(({ type }) => isSimilar(name, type)).slice(0, 3);
  const sentences = near.map(
    ({ type, last_seen }) => `An event of type ${type} was recorded ${formatAgo(last_seen!, now)}.`,
  );
  const [first] = near;
  if (first === undefined || recorded.some(({ type }) => type === name)) return sentences;
  return [...sentences, `No event of type ${name} has been recorded; did you mean \`${first.type}\`?`];
}
