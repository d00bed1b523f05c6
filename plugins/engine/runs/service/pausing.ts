import type { Clock, Database, Log } from '../../../../kernel/contracts/index.ts';
import { RecordedWork, type Wakeups } from '../contract.ts';
import { PAUSING_TOPIC, type PausingRun, readPausing } from '../store/pause/pause.ts';
import type { RunTransitions } from '../store/run-store.ts';

interface PausingDeps {
  database: Pick<Database, 'read'>;
  store: Pick<RunTransitions, 'pauseCalled'>;
  wakeups: Pick<Wakeups, 'topic' | 'onTopic'>;
  clock: Clock;
  log: Log;
}

/** Pauses and resumes the runs that paused and resumed runs have called, level by level and 32 at a time. */
export function createPausingLoop({ database, store, wakeups, clock, log }: PausingDeps): RecordedWork<PausingRun> {
  const loop: RecordedWork<PausingRun> = new RecordedWork<PausingRun>({
    ...{ clock, log, wakeups, topic: PAUSING_TOPIC },
    says: { failing: 'pausing called runs failed; retrying', recovered: 'called runs are paused again' },
    due: (after, limit) => readPausing(database, after, limit),
    async carryOut(run) {
      while (!loop.stopped && (await store.pauseCalled(run)));
    },
  });
  return loop;
}
