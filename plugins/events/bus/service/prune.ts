import type { Database } from '../../../../kernel/contracts/index.ts';
import type { Prunable } from '../../../platform/retention/contract.ts';
import type { OpenRuns } from '../../../engine/runs/contract.ts';
import type { EventReaction, ProjectScope } from '../contract.ts';
import { readBodySeqs } from '../store/event-rows.ts';
import {
  type OldEvent,
  listOldestEvents,
  projectsWithEvents,
  removeEvents,
  listUndelivered,
} from '../store/prune-rows.ts';

export interface PruneDeps {
  database: Database;
  openRuns: () => OpenRuns;
  reactions: () => readonly EventReaction[];
}

/**
 * Prunes events older than a given time, with their deliveries. It keeps events that are still needed by unfinished
 * runs that they started, by waits and cancels in progress, or by other plugins. Deduplication keys go with their
 * events.
 */
export function prunableEvents(deps: PruneDeps): Prunable {
  return {
    name: 'events',
    summary: 'events that nothing waits for any longer',
    async *prune(before, limit) {
      for (const scope of await projectsWithEvents(deps.database)) yield* pruneProject(deps, scope, before, limit);
    },
  };
}

async function* pruneProject(
  deps: PruneDeps,
  scope: ProjectScope,
  before: number,
  limit: number,
): AsyncIterable<number> {
  let referenced: Set<string> | undefined;
  /** Numbers of events that have the body of an earlier one that is not pruned. */
  const with_bodies = new Set<number>();
  for (let after = 0; ; ) {
    const events = await listOldestEvents(deps.database, scope.project_id, after);
    const old = events.filter(({ recorded_at }) => recorded_at < before);
    const last = old.at(-1);
    if (last === undefined) return;
    // Read only once: a run created meanwhile for such an old event comes out of a queue, and that queue's own data
    // protects the event.
    referenced ??= await readReferenced(deps, scope);
    const protected_ids = await findProtectedIds(deps, scope, old);
    const unreferenced = ({ event_id }: OldEvent) => !protected_ids.has(event_id) && !referenced!.has(event_id);
    const remaining = old.filter((event) => !unreferenced(event)).map(({ seq }) => Number(seq));
    if (remaining.length > 0)
      for (const seq of await readBodySeqs(deps.database, scope.project_id, remaining)) with_bodies.add(seq);
    const prunable = old.filter((event) => unreferenced(event) && !with_bodies.has(Number(event.seq)));
    if (prunable.length > 0) yield* removeEvents(deps.database, scope.project_id, prunable, limit);
    if (old.length < events.length) return;
    after = last.seq;
  }
}

/** A run of a batch refers to all of its events. */
async function readReferenced(deps: PruneDeps, scope: ProjectScope): Promise<Set<string>> {
  const references = await deps.openRuns().references(scope.project_id, 'bus');
  return new Set([...references].flatMap((reference) => reference.split(',')));
}

async function findProtectedIds(
  { database, reactions }: PruneDeps,
  scope: ProjectScope,
  events: readonly OldEvent[],
): Promise<Set<string>> {
  const event_ids = events.map(({ event_id }) => event_id);
  const protected_ids = new Set(await listUndelivered(database, scope.project_id, event_ids));
  for (const reaction of reactions())
    for (const event_id of (await reaction.findProtected?.(scope, event_ids)) ?? []) protected_ids.add(event_id);
  return protected_ids;
}
