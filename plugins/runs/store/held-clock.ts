import type { Database, HeldWork, Queries } from '../../../kernel/contracts/index.ts';

/** Activities that wait for an agent or have one hold a clock that can be put forward. */
export function activitiesHoldTime(database: Pick<Database, 'read' | 'transaction'>): HeldWork {
  return {
    isUnderWay: (resting) => isUnderWay(database, resting),
    jump: (by_ms, resting, jump) =>
      database.transaction(async (tx) => {
        if (await isUnderWay(tx, resting)) return false;
        // The agents that rest renew their claims by real time.
        await tx.write(`UPDATE runs_activities SET deadline = deadline + ? WHERE state = 'claimed'`, [by_ms]);
        jump();
        return true;
      }),
  };
}

async function isUnderWay(on: Pick<Queries, 'read'>, resting: number): Promise<boolean> {
  const pending = await on.read(`SELECT activity_id FROM runs_activities WHERE state = 'pending' LIMIT 1`);
  if (pending.length > 0) return true;
  const [claimed] = await on.read<{ n: number }>(`SELECT COUNT(*) AS n FROM runs_activities WHERE state = 'claimed'`);
  return Number(claimed!.n) > resting;
}
