import type { FunctionView } from '../../../../../cli/generated/api.ts';

/** A function with its versions. */
export interface FunctionItem {
  name: string;
  /** New runs begin with it. */
  current: FunctionView;
  versions: readonly FunctionView[];
  /** Names of the workers that serve any version. */
  workers: readonly string[];
  /** Runs that wait for a version that nobody serves. */
  waiting: number;
}

/** The list of versions by function. */
export function groupFunctions(views: readonly FunctionView[]): FunctionItem[] {
  return [...Map.groupBy(views, ({ name }) => name)].map(([name, versions]) => ({
    name,
    versions,
    current: versions.find(({ current }) => current) ?? versions.at(-1)!,
    workers: [...new Set(versions.flatMap(({ workers }) => workers))],
    waiting: versions.reduce((sum, { waiting }) => sum + waiting, 0),
  }));
}

export type ServedState = 'served' | 'waiting' | 'unserved';

/** `waiting`: runs wait for a worker. `unserved`: nothing waits, and no worker serves it. */
export function servedState({ workers, waiting }: Pick<FunctionItem, 'workers' | 'waiting'>): ServedState {
  if (waiting > 0) return 'waiting';
  return workers.length > 0 ? 'served' : 'unserved';
}

/** Counted up to this by the server. */
const MAX_WAITING = 1000;

export const waitingWords = (runs: number): string => {
  if (runs >= MAX_WAITING) return `${MAX_WAITING} or more runs wait`;
  return runs === 1 ? '1 run waits' : `${runs} runs wait`;
};
