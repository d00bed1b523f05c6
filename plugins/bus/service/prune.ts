import type { Database, Prunable } from '../../../kernel/contracts/index.ts';
import type { OpenRuns } from '../../runs/contract.ts';
import type { EventKeeper, ProjectScope } from '../contract.ts';
import { type OldEvent, oldestEvents, projectsWithEvents, removeEvents, undelivered } from '../store/prune-rows.ts';

export interface PruneParts {
  database: Database;
  open_runs: () => OpenRuns;
  keepers: () => readonly EventKeeper[];
}

/**
 * Events that are older than a time, with what became of them. Kept are those that something still has to read: runs that
 * have not ended and were started by them, waits and cancels on their way, and what keepers name. A text against
 * doubles is forgotten with its event.
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
    // Asked for once: a run that is made meanwhile for an event this old comes from a queue, whose keeper knows it.
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
