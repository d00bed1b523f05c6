import {
  type Clock,
  type Database,
  type Log,
  type IterationResult,
  type Sealer,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import { startWoken, type Wakeups } from '../../../engine/runs/contract.ts';
import type { ProjectScope } from '../contract.ts';
import { pruneOutcomeRows } from '../store/outcomes.ts';
import { pendingProjects, retrySetAside } from '../store/outbox.ts';
import { isDatabaseUnavailable } from './forwarded-events.ts';
import type { Recorder } from './recorder.ts';
import type { Sequencer } from './sequencing.ts';

/** Wakes the server that numbers events after others have forwarded some. */
export const FORWARDED_TOPIC = 'bus.handed_over';

const PRUNE_EVERY_MS = 20_000;
/** Longer than any server waits for an outcome. */
const OUTCOME_TTL_MS = 60_000;
/** Maximum number of projects in one round. */
const MAX_PROJECTS = 16;
const PAGE = 64;
/** Events that were set aside are retried after this time. */
const RETRY_AFTER_MS = 60_000;

export interface OutboxDeps {
  database: Database;
  sealer: Sealer;
  recorder: Pick<Recorder, 'drain' | 'setAside'>;
  sequencer: Sequencer;
  wakeups: Pick<Wakeups, 'onTopic'>;
  clock: Clock;
  log: Log;
}

/**
 * Numbers the events that other servers have forwarded to this one, and those of a server that crashed. Every
 * recording on this server does so too; this loop covers the projects in which this server records nothing itself.
 */
export function startOutbox(deps: OutboxDeps): () => Promise<void> {
  if (!deps.sequencer.isEnabled) return async () => undefined;
  const last_pruned = { at: Number.NEGATIVE_INFINITY };
  const loop = new WorkLoop({
    clock: deps.clock,
    log: deps.log,
    poll: { min_ms: 20, max_ms: 100 },
    messages: {
      failing: 'numbering events of other servers failed; retrying',
      recovered: 'events of other servers are numbered again',
    },
    async iterate() {
      await pruneOutcomes(deps, last_pruned);
      return drainAll(deps);
    },
  });
  const stop = startWoken(loop, { wakeups: deps.wakeups, topic: FORWARDED_TOPIC });
  return async () => {
    await stop();
    // The others take over at once. If the database is unavailable, the leases simply expire.
    await deps.sequencer.release(deps.database).catch((error: unknown) => {
      deps.log.debug(
        { err: error },
        'releasing the bus heads of this server failed; they stay held until their leases end',
      );
    });
  };
}

/** Drains the projects with forwarded events, many in one transaction, and one by one if that fails. */
async function drainAll(deps: OutboxDeps): Promise<IterationResult> {
  const projects = await findProjects(deps);
  if (projects.length === 0) return { processed: 0 };
  try {
    return { processed: await drainProjects(deps, projects), hasMore: projects.length === MAX_PROJECTS };
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    let count = 0;
    for (const scope of projects) count += await drainOneByOne(deps, scope);
    return { processed: count };
  }
}

/** Returns the first projects whose events this server must number. An org whose keys cannot be opened has to wait. */
async function findProjects({ database, sealer, sequencer, log }: OutboxDeps): Promise<ProjectScope[]> {
  const projects: ProjectScope[] = [];
  for (let after = ''; projects.length < MAX_PROJECTS; ) {
    const page = await pendingProjects(database, after, PAGE);
    for (const scope of page) {
      if (projects.length === MAX_PROJECTS || (await sequencer.isNumberedElsewhere(database, scope.project_id)))
        continue;
      try {
        await sealer.prepare(scope.org_id);
        projects.push(scope);
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        log.error(
          { err: error, org_id: scope.org_id },
          'events stay unnumbered because the keys of their org cannot be opened',
        );
      }
    }
    if (page.length < PAGE) return projects;
    after = page.at(-1)!.project_id;
  }
  return projects;
}

/** Heads are locked in byte order of the projects, as everywhere. */
const drainProjects = ({ database, recorder }: OutboxDeps, projects: readonly ProjectScope[]): Promise<number> =>
  database.transaction(async (tx) => {
    let count = 0;
    for (const scope of projects) count += await recorder.drain(tx, scope);
    return count;
  });

/** Records events one by one and sets aside those that fail, so that they hold up no others. */
async function drainOneByOne(deps: OutboxDeps, scope: ProjectScope): Promise<number> {
  const { database, recorder, log } = deps;
  for (let count = 0; ; count += 1) {
    try {
      if ((await database.transaction((tx) => recorder.drain(tx, scope, 1))) === 0) return count;
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      const event_id = await database.transaction((tx) => recorder.setAside(tx, scope, error));
      log.error({ err: error, event_id, project_id: scope.project_id }, 'an event cannot be recorded and is set aside');
    }
  }
}

async function pruneOutcomes({ database, clock }: OutboxDeps, last_pruned: { at: number }): Promise<void> {
  if (clock.monotonic() - last_pruned.at < PRUNE_EVERY_MS) return;
  last_pruned.at = clock.monotonic();
  await pruneOutcomeRows(database, database.now() - OUTCOME_TTL_MS);
  await retrySetAside(database, database.now() - RETRY_AFTER_MS);
}
