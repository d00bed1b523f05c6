import {
  type Clock,
  type Database,
  type Log,
  type Round,
  type Sealer,
  WorkLoop,
} from '../../../kernel/contracts/index.ts';
import { startWoken, type Wakeups } from '../../runs/contract.ts';
import type { ProjectScope } from '../contract.ts';
import { forgetAnswers } from '../store/answers.ts';
import { pendingProjects, tryAgain } from '../store/outbox.ts';
import { isOfTheDatabase } from './handed-over.ts';
import type { Recorder } from './recorder.ts';
import type { Sequencer } from './sequencing.ts';

/** Tells the server that numbers events that others have handed some over. */
export const HANDED_OVER_TOPIC = 'bus.handed_over';

const FORGET_EVERY_MS = 20_000;
/** Longer than any server waits for an outcome. */
const FORGET_AFTER_MS = 60_000;
/** Projects of one round. */
const PROJECTS = 16;
const PAGE = 64;
/** Events that were put aside are tried again after this time. */
const AGAIN_MS = 60_000;

export interface OutboxParts {
  database: Database;
  sealer: Sealer;
  recorder: Pick<Recorder, 'drain' | 'putAside'>;
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
  const stop = startWoken(loop, { wakeups: parts.wakeups, topic: HANDED_OVER_TOPIC });
  return async () => {
    await stop();
    // Others take over at once. When the database does not answer, the leases end by themselves.
    await parts.sequencer.leave(parts.database).catch((error: unknown) => {
      parts.log.debug({ err: error }, 'the heads of this server stay held until their leases end');
    });
  };
}

/** One round over the projects that have such events, many in one transaction. Alone where that fails. */
async function drainAll(parts: OutboxParts): Promise<Round> {
  const mine = await projectsOf(parts);
  if (mine.length === 0) return { found: 0 };
  try {
    return { found: await drain(parts, mine), again: mine.length === PROJECTS };
  } catch (error) {
    if (isOfTheDatabase(error)) throw error;
    let found = 0;
    for (const scope of mine) found += await drainSingly(parts, scope);
    return { found };
  }
}

/** The first projects whose events this server is to number. An org whose keys do not open waits. */
async function projectsOf({ database, sealer, sequencer, log }: OutboxParts): Promise<ProjectScope[]> {
  const mine: ProjectScope[] = [];
  for (let after = ''; mine.length < PROJECTS; ) {
    const some = await pendingProjects(database, after, PAGE);
    for (const scope of some) {
      if (mine.length === PROJECTS || (await sequencer.elsewhere(database, scope.project_id))) continue;
      try {
        await sealer.prepare(scope.org_id);
        mine.push(scope);
      } catch (error) {
        if (isOfTheDatabase(error)) throw error;
        log.error({ err: error, org_id: scope.org_id }, 'events wait for a number: the keys of their org do not open');
      }
    }
    if (some.length < PAGE) return mine;
    after = some.at(-1)!.project_id;
  }
  return mine;
}

/** Heads are locked in byte order of the projects, as everywhere. */
const drain = ({ database, recorder }: OutboxParts, projects: readonly ProjectScope[]): Promise<number> =>
  database.transaction(async (tx) => {
    let found = 0;
    for (const scope of projects) found += await recorder.drain(tx, scope);
    return found;
  });

/** Events one by one; the one that fails is put aside, so that it holds up no other. */
async function drainSingly(parts: OutboxParts, scope: ProjectScope): Promise<number> {
  const { database, recorder, log } = parts;
  for (let found = 0; ; found += 1) {
    try {
      if ((await database.transaction((tx) => recorder.drain(tx, scope, 1))) === 0) return found;
    } catch (error) {
      if (isOfTheDatabase(error)) throw error;
      const event_id = await database.transaction((tx) => recorder.putAside(tx, scope, error));
      log.error({ err: error, event_id, project_id: scope.project_id }, 'an event cannot be recorded; put aside');
    }
  }
}

async function forgetOld({ database, clock }: OutboxParts, forgotten: { at: number }): Promise<void> {
  if (clock.monotonic() - forgotten.at < FORGET_EVERY_MS) return;
  forgotten.at = clock.monotonic();
  await forgetAnswers(database, database.now() - FORGET_AFTER_MS);
  await tryAgain(database, database.now() - AGAIN_MS);
}
