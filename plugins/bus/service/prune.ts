import type { Database } from '../../../kernel/contracts/index.ts';
import type { Prunable } from '../../retention/contract.ts';
import type { OpenRuns } from '../../runs/contract.ts';
import type { EventKeeper, ProjectScope } from '../contract.ts';
import { type OldEvent, oldestEvents, projectsWithEvents, removeEvents, undelivered } from '../store/prune-rows.ts';

export interface PruneParts {
  database: Database;
  open_runs: () => OpenRuns;
  keepers: () => readonly EventKeeper[];
}

/**
 * Prunes events older than a time, with their deliveries. Kept are events that are still needed: by unfinished runs
 * that they started, by waits and cancels in progress, and by keepers. A deduplication key is forgotten with its event.
 */
export function prunableEvents(parts: PruneParts): Prunable {
  return {
    name: 'events',
    summary: 'events that nothing waits to read any more',
    async *prune(before, limit) {
      for (const scope of await projectsWithEvents(parts.database)) yield* pruneProject(parts, scope, before, limit);
    },
  };
}

async function* pruneProject(
  parts: PruneParts,
  scope: ProjectScope,
  before: number,
  limit: number,
): AsyncIterable<number> {
  let referred: Set<string> | undefined;
  for (let after = 0; ; ) {
    const found = await oldestEvents(parts.database, scope.project_id, after);
    const old = found.filter(({ recorded_at }) => recorded_at < before);
    const last = old.at(-1);
    if (last === undefined) return;
    // Read once: a run that is created meanwhile for such an old event comes from a queue, and the keeper of that queue
    // names the event.
    referred ??= await parts.open_runs().references(scope.project_id, 'bus');
    const kept = await keptOf(parts, scope, old);
    const free = old.filter(({ event_id }) => !kept.has(event_id) && !referred!.has(event_id));
    if (free.length > 0) yield* removeEvents(parts.database, scope.project_id, free, limit);
    if (old.length < found.length) return;
    after = last.seq;
  }
}

async function keptOf(
  { database, keepers }: PruneParts,
  scope: ProjectScope,
  events: readonly OldEvent[],
): Promise<Set<string>> {
  const event_ids = events.map(({ event_id }) => event_id);
  const kept = new Set(await undelivered(database, scope.project_id, event_ids));
  for (const keeper of keepers()) for (const event_id of await keeper.keeps(scope, event_ids)) kept.add(event_id);
  return kept;
}
