import { inList, type Database } from '../../../kernel/contracts/index.ts';
import { removeHeads } from './log-usage.ts';
import { lowestId, type Prunable, removeSome } from '../../retention/contract.ts';

const AT_ONCE = 100;

/** Logs of runs that ended before a time. A run without a head has no log, so it is not visited again. */
export function prunableLogs(database: Database): Prunable {
  return {
    name: 'logs',
    summary: 'logs of runs that have ended; the runs stay',
    async *prune(before, limit) {
      for (let after = ''; ; ) {
        const heads = await database.read<{ run_id: string }>(
          `SELECT h.run_id FROM runs_log_heads h JOIN runs_runs r ON r.run_id = h.run_id
           WHERE h.run_id > ? AND h.run_id < ? AND r.finished_at < ? ORDER BY h.run_id LIMIT ${AT_ONCE}`,
          [after, lowestId('run', before), before],
        );
        const last = heads.at(-1);
        if (last === undefined) return;
        after = last.run_id;
        const list = inList(heads.map(({ run_id }) => run_id));
        for (let removed = limit; removed >= limit; ) {
          removed = await removeSome(database, 'runs_logs', `run_id IN ${list.marks}`, list.params, limit);
          yield removed;
        }
        const run_ids = heads.map(({ run_id }) => run_id);
        await database.transaction((tx) => removeHeads(tx, run_ids));
      }
    },
  };
}
