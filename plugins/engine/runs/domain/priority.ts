/** Priorities are 0, the default, to 9. A run passes runs of its project that have waited up to this much longer for each level less. */
export const PRIORITY_LEVEL_MS = 10 * 60_000;

export interface Prioritized {
  project_id: string;
  untrusted: boolean;
  due: number;
  priority: number;
}

/** The number that orders the work of a project, the lowest first. Work with a low priority is passed for a bounded time. */
const effectiveDue = ({ due, priority }: Prioritized): number => due - priority * PRIORITY_LEVEL_MS;

/**
 * Lets prioritized work pass other work of its project. `places` are in the order of age, which decides which project comes
 * when: so a priority never delays the work of another project. `prioritized` may contain work of `places` too.
 */
export function passWithinProjects<T extends Prioritized & { activity_id: string }>(
  places: readonly T[],
  prioritized: readonly T[],
): T[] {
  if (prioritized.length === 0) return [...places];
  const known = new Map([...places, ...prioritized].map((work) => [work.activity_id, work]));
  const projectOf = ({ project_id, untrusted }: T) => `${untrusted} ${project_id}`;
  const waiting = Map.groupBy(
    [...known.values()].sort((a, b) => effectiveDue(a) - effectiveDue(b) || a.due - b.due),
    projectOf,
  );
  return places.map((place) => waiting.get(projectOf(place))!.shift()!);
}
