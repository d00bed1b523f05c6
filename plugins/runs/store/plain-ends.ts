import { distinct, failpoint, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ActivityEnd } from '../contract.ts';
import { afterEnds, writeEnds } from './activities.ts';
import { type EndedFence, hasEnded, holds, lockEnds, lockFences, lost } from './activity-rows.ts';
import { type Announcement, announce } from './announce.ts';
import { runEndings } from './ending.ts';
import { absentActivity } from './activity-owners.ts';
import type { Ending } from './finish.ts';
import type { StoreParts } from './parts.ts';
import type { LockedRun } from './run-columns.ts';
import { endRuns } from './run-end.ts';
import { isTerminal, lockRuns, nextStatuses, setStatus } from './run-rows.ts';
import { type EndedWait, tellKinds } from './tell-kinds.ts';
import { tellWork, type ToldWork } from './tell-work.ts';

export interface RunEnding extends Ending {
  run_id: string;
}

/** The run of an end is locked by others, or is gone. */
export class RunHeld extends Error {}

/** What goes out last: all of it takes locks that come after those of all runs and activities. */
interface Told {
  announcements: Announcement[];
  waits: EndedWait[];
  work: ToldWork[];
}

/**
 * Ends claims of runs without a coordinator in one transaction, by as many statements for all as for one. Answers for each
 * why it could not end: its claim is lost, or its run is held. For that run the others do not wait.
 */
export async function endPlain(
  tx: Transaction,
  store: StoreParts,
  endings: readonly RunEnding[],
): Promise<ReadonlyMap<RunEnding, Error | undefined>> {
  const runs = await lockRuns(
    tx,
    endings.map(({ run_id }) => run_id),
    { skip: true },
  );
  const outcomes = new Map<RunEnding, Error | undefined>();
  const open = endings.filter((ending) => runs.has(ending.run_id));
  for (const ending of endings) if (!runs.has(ending.run_id)) outcomes.set(ending, new RunHeld());
  const told: Told = { announcements: [], waits: [], work: [] };
  const all = turns(open);
  // Those of later turns too: whoever locks activities does it in the order of their ids.
  if (all.length > 1) await lockFences(tx, open.map(activityOf));
  for (const turn of all) await endTurn(tx, store, runs, turn, outcomes, told);
  const announced = told.announcements.toSorted((a, b) => (a.run.run_id < b.run.run_id ? -1 : 1));
  await announce(tx, store, announced, store.database.now());
  // After the ends were announced, because an announcement takes its locks first.
  await tellKinds(tx, store, told.waits);
  await tellWork(tx, store, told.work);
  tx.afterCommit(() => {
    for (const run_id of distinct(
      [...outcomes].filter(([, error]) => !error),
      ([ending]) => ending.run_id,
    )) {
      const run = runs.get(run_id)!;
      store.wakeups.run(run_id, { project_id: run.project_id, part: 'run', over: isTerminal(run) });
    }
  });
  failpoint('runs.settled');
  return outcomes;
}

const activityOf = ({ claim }: RunEnding): string => claim.activity_id;

/** One end of each run in a turn: an end may cancel the activities of the next one of its run. */
function turns(endings: readonly RunEnding[]): RunEnding[][] {
  const all: RunEnding[][] = [];
  for (const own of Map.groupBy(endings, ({ run_id }) => run_id).values())
    for (const [at, ending] of own.entries()) (all[at] ??= []).push(ending);
  return all;
}

async function endTurn(
  tx: Transaction,
  store: StoreParts,
  runs: ReadonlyMap<string, LockedRun>,
  turn: readonly RunEnding[],
  outcomes: Map<RunEnding, Error | undefined>,
  told: Told,
): Promise<void> {
  const fences = await lockEnds(tx, turn.map(activityOf));
  const held: RunEnding[] = [];
  for (const ending of turn) {
    const { claim, completion } = ending;
    const fence = fences.get(claim.activity_id);
    if (holds(fence, claim)) held.push(ending);
    if (fence === undefined) outcomes.set(ending, absentActivity(claim.activity_id));
    else outcomes.set(ending, holds(fence, claim) || hasEnded(fence, claim, completion) ? undefined : lost(claim));
  }
  if (held.length === 0) return;
  await writeEnds(
    tx,
    store,
    'claimed',
    held.map(({ run_id, claim, completion }) => ({ place: placeOf(runs.get(run_id)!, claim), completion })),
  );
  const ends = held.map(({ run_id, claim, completion }) => ({
    run: runs.get(run_id)!,
    end: endOf(fences.get(claim.activity_id)!, completion),
  }));
  told.waits.push(...(await afterEnds(tx, store, ends)));
  told.announcements.push(...(await settle(tx, store, runs, held, told.work)));
}

const placeOf = ({ org_id, project_id, run_id }: LockedRun, { activity_id }: Ending['claim']) => ({
  ...{ org_id, project_id, run_id },
  activity_id,
});

const endOf = ({ activity_id, parent, name, executor }: EndedFence, result: ActivityEnd['result']): ActivityEnd => ({
  ...{ activity_id, parent, name, executor },
  result,
});

/** The following status of each run, or its end, to be announced. */
async function settle(
  tx: Transaction,
  store: StoreParts,
  runs: ReadonlyMap<string, LockedRun>,
  held: readonly RunEnding[],
  work: ToldWork[],
): Promise<Announcement[]> {
  const statuses = await nextStatuses(
    tx,
    held.map(({ run_id }) => run_id),
  );
  for (const [run_id, { status, working }] of statuses) {
    const run = runs.get(run_id)!;
    if (run.status === 'waiting' || status === 'waiting') work.push({ run, working });
    await setStatus(tx, run, status);
  }
  const over = held.filter(({ run_id }) => !statuses.has(run_id));
  if (over.length === 0) return [];
  const endings = await runEndings(
    tx,
    store,
    over.map(({ run_id }) => runs.get(run_id)!),
  );
  return endRuns(
    tx,
    store,
    over.map(({ run_id, masker }) => ({ run: runs.get(run_id)!, ending: endings.get(run_id)!, masker })),
  );
}
