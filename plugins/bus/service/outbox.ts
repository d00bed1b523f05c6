import {
  type Clock,
  type Database,
  distinct,
  type Log,
  type Round,
  type Sealer,
  WorkLoop,
} from '../../../kernel/contracts/index.ts';
import type { Wakeups } from '../../runs/contract.ts';
import type { ProjectScope } from '../contract.ts';
import { forgetAnswers } from '../store/answers.ts';
import { pendingProjects } from '../store/outbox.ts';
import type { Recorder } from './recorder.ts';
import type { Sequencer } from './sequencing.ts';

/** Tells the server that numbers events that others have handed some over. */
export const HANDED_OVER_TOPIC = 'bus.handed_over';

const FORGET_EVERY_MS = 20_000;
/** Longer than any server waits for an outcome. */
const FORGET_AFTER_MS = 60_000;
/** Projects of one round. */
const PROJECTS = 16;

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
    poll: { min_ms: 20, max_ms: 100 },
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

/** One round over the projects that have such events, many in one transaction. Alone where that fails. */
async function drainAll(parts: OutboxParts): Promise<Round> {
  const { database, sealer, sequencer } = parts;
  const mine: ProjectScope[] = [];
  for (const scope of await pendingProjects(database, PROJECTS)) {
    if (await sequencer.elsewhere(database, scope.project_id)) continue;
    await sealer.prepare(scope.org_id);
    mine.push(scope);
  }
  if (mine.length === 0) return { found: 0 };
  try {
    return { found: await drain(parts, mine) };
  } catch (error) {
    return mine.length === 1 ? { found: 0, failure: error } : drainSingly(parts, mine);
  }
}

/** Heads are locked in byte order of the projects, as everywhere. */
const drain = ({ database, recorder }: OutboxParts, projects: readonly ProjectScope[]): Promise<number> =>
  database.transaction(async (tx) => {
    let found = 0;
    for (const project_id of distinct(projects, (scope) => scope.project_id))
      found += await recorder.drain(tx, projects.find((scope) => scope.project_id === project_id)!);
    return found;
  });

/** What fails in one project does not hold up the others. */
async function drainSingly(parts: OutboxParts, projects: readonly ProjectScope[]): Promise<Round> {
  let found = 0;
  let failure: unknown;
  for (const scope of projects)
    found += await drain(parts, [scope]).catch((error: unknown) => {
      failure = error;
      return 0;
    });
  return { found, failure };
}

async function forgetOld({ database, clock }: OutboxParts, forgotten: { at: number }): Promise<void> {
  if (clock.monotonic() - forgotten.at < FORGET_EVERY_MS) return;
  forgotten.at = clock.monotonic();
  await forgetAnswers(database, database.now() - FORGET_AFTER_MS);
}
