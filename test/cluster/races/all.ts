import type { ClusterPlace } from '../place.ts';
import { collect, waitAll } from './children.ts';
import { cancels, emits, events } from './events.ts';
import { handlers } from './handlers.ts';
import { locks } from './locks.ts';
import { type RaceResult, runRace } from './race.ts';
import { reads } from './reads.ts';
import { schedules } from './schedules.ts';
import { signals } from './signals.ts';
import { submits } from './submits.ts';

type Run = (place: ClusterPlace, rounds: number, seed: number) => Promise<RaceResult>;

const inRounds = [locks, waitAll, collect, events, cancels, emits, signals, submits, reads, handlers].map(
  (race): [string, Run] => [race.name, (place, rounds, seed) => runRace(race, place, rounds, seed)],
);

/** By name, in the order in which they are run. */
export const races: ReadonlyMap<string, Run> = new Map([...inRounds, ['schedules', schedules]]);
