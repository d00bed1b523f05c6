import { randomFrom } from '../../crash/chaos.ts';
import { together } from '../../bench/statistics.ts';
import type { ClusterPlace } from '../place.ts';

/** Something that several servers do to the same rows at the same time, and what must come of it. */
export interface Race {
  name: string;
  /** Rounds that run side by side. */
  width: number;
  /** Before the first round. */
  prepare?(place: ClusterPlace): Promise<void>;
  /** Answers what is not as promised. */
  round(lap: Lap): Promise<string[]>;
}

export interface Lap {
  place: ClusterPlace;
  /** Of the round, from 0. */
  round: number;
  /** Unlike that of any other round of any race. */
  tag: string;
  random: () => number;
}

export interface RaceResult {
  name: string;
  rounds: number;
  /** Rounds in which something was not as promised. */
  failed: number;
  /** What was not, and at the end what the nodes say. */
  violations: string[];
  seconds: number;
  /** Answers 503 that callers saw. */
  busy: number;
}

export async function runRace(race: Race, place: ClusterPlace, rounds: number, seed: number): Promise<RaceResult> {
  const began = performance.now();
  const busy = place.complaints.busy;
  const violations: string[] = [];
  let failed = 0;
  await race.prepare?.(place);
  await together(rounds, race.width, async (round) => {
    const lap = { place, round, tag: `${race.name}-${round}`, random: randomFrom(seed * 100_003 + round) };
    const found = await race.round(lap).catch((error: unknown) => [`round ${round}: ${String(error)}`]);
    if (found.length > 0) failed += 1;
    violations.push(...found);
  });
  violations.push(...(await place.newlyBroken()));
  const seconds = (performance.now() - began) / 1000;
  return { name: race.name, rounds, failed, violations, seconds, busy: place.complaints.busy - busy };
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs that did not succeed, as lines. */
export const unsuccessful = (runs: readonly { run_id: string; status: string }[]): string[] =>
  runs.filter(({ status }) => status !== 'succeeded').map(({ run_id, status }) => `${run_id} is ${status}`);
