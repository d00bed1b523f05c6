import {
  type Clock,
  type Database,
  type Log,
  type Round,
  type Sealer,
  WorkLoop,
} from '../../../kernel/contracts/index.ts';
import type { Wakeups } from '../../runs/contract.ts';
import { forgetAnswers } from '../store/answers.ts';
import { pendingProjects } from '../store/outbox.ts';
import type { Recorder } from './recorder.ts';
import type { Sequencer } from './sequencing.ts';

/** Tells the server that numbers events that others have handed some over. */
export const HANDED_OVER_TOPIC = 'bus.handed_over';

const FORGET_EVERY_MS = 60_000;
/** Much longer than any server waits for an outcome. */
const FORGET_AFTER_MS = 600_000;
/** Projects looked at in one round. */
const PROJECTS = 64;

export interface OutboxParts {
  database: Database;
  sealer: Sealer;
  recorder: Pick<Recorder, 'drain'>;
  sequencer: Sequencer;
  wakeups: Pick<Wakeups, 'onTopic'>;
  clock: Clock;
  log: Log;
}

/**
 * Numbers the events that other servers have handed over to this one, and those of a server that has died. Every
 * recording of this server does it too; this loop is for projects where this server records nothing itself.
 */
export function startOutbox(parts: OutboxParts): () => Promise<void> {
  if (!parts.sequencer.handsOver) return async () => undefined;
  const forgotten = { at: Number.NEGATIVE_INFINITY };
  const loop = new WorkLoop({
    clock: parts.clock,
    log: parts.log,
    poll: { min_ms: 10, max_ms: 100 },
    says: {
      failing: 'numbering events of other servers failed; retrying',
      recovered: 'events of other servers are numbered again',
    },
    async round() {
      await forgetOld(parts, forgotten);
      return drainAll(parts);
    },
  });
  const off = parts.wakeups.onTopic(HANDED_OVER_TOPIC, () => loop.wake());
  const stop = loop.start();
  return () => {
    off();
    return stop();
  };
}

/** One round over the projects that have such events. What fails in one of them does not hold up the others. */
export async function drainAll(parts: Omit<OutboxParts, 'wakeups' | 'clock' | 'log'>): Promise<Round> {
  const { database, sealer, recorder, sequencer } = parts;
  const projects = await pendingProjects(database, PROJECTS);
  let found = 0;
  let failure: unknown;
  for (const scope of projects) {
    try {
      if (await sequencer.elsewhere(database, scope.project_id)) continue;
      await sealer.prepare(scope.org_id);
      found += await database.transaction((tx) => recorder.drain(tx, scope));
    } catch (error) {
      failure = error;
    }
  }
  return { found, again: found > 0, ...(failure === undefined ? {} : { failure }) };
}

async function forgetOld({ database, clock }: OutboxParts, forgotten: { at: number }): Promise<void> {
  if (clock.monotonic() - forgotten.at < FORGET_EVERY_MS) return;
  forgotten.at = clock.monotonic();
  await forgetAnswers(database, database.now() - FORGET_AFTER_MS);
}
