import type { Database, InFlightWork, Queries } from '../../../../../kernel/contracts/index.ts';

/** Keeps a clock that can skip time from doing so while activities wait for an agent or are claimed. */
export function activityTimeHold(database: Pick<Database, 'read' | 'transaction'>): InFlightWork {
  return {
    isInFlight: (resting) => hasOpenWork(database, resting),
    jump: (by_ms, resting, jump) =>
      database.transaction(async (tx) => {
        if (await hasOpenWork(tx, resting)) return false;
        // Agents that rest renew their claims in real time.
        await tx.write(`UPDATE runs_activities SET deadline = deadline + ? WHERE state = 'claimed'`, [by_ms]);
        jump();
        return true;
      }),
  };
}

async function hasOpenWork(on: Pick<Queries, 'read'>, resting: number): Promise<boolean> {
  const pending = await on.read(`SELECT activity_id FROM runs_activities WHERE state = 'pending' LIMIT 1`);
  if (pending.length > 0) return true;
  const [claimed] = await on.read<{ n: number }>(`SELECT COUNT(*) AS n FROM runs_activities WHERE state = 'claimed'`);
  return Number(claimed!.n) > resting;
}
