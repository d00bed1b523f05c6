import {
  type Database,
  failpoint,
  isServiceError,
  type Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { Delivery, ProjectScope } from '../../bus/contract.ts';
import type { NewRun, RunCreation } from '../../runs/contract.ts';
import { type StartEvent, submitOf } from '../domain/start.ts';
import { readHandlers } from '../store/handler-table.ts';
import { openRuns } from '../store/open-runs.ts';
import { openDefinition } from './definitions.ts';

export interface StarterParts {
  database: Pick<Database, 'now'>;
  sealer: Sealer;
  /** Asked late: the engine is told of runs that end by what this is part of. */
  creation(): Pick<RunCreation, 'plan' | 'createIn'>;
}

/** One run to be made. */
export interface Start {
  name: string;
  event: StartEvent;
}

/**
 * Makes handler runs, and counts them as open. The project's bus is locked and there is a place for each. Answers what
 * came of each in order: what cannot be run any more is refused, and takes no place.
 */
export async function startRuns(
  parts: StarterParts,
  tx: Transaction,
  scope: ProjectScope,
  starts: readonly Start[],
): Promise<Delivery[]> {
  if (starts.length === 0) return [];
  const rows = await readHandlers(tx, scope, [...new Set(starts.map(({ name }) => name))]);
  const planned = starts.map((start): { run: NewRun } | { refused: string } => {
    const row = rows.get(start.name);
    if (row === undefined) return { refused: 'the handler was removed' };
    const definition = openDefinition(parts.sealer, row);
    if (!start.event.trusted && Object.keys(definition.credentials ?? {}).length > 0)
      return { refused: 'untrusted_run_declares_credential: the handler has come to declare credentials' };
    return plan(parts, submitOf(row, definition, start.event));
  });
  const runs = planned.flatMap((one) => ('run' in one ? [one.run] : []));
  const made = runs.length > 0 ? await parts.creation().createIn(tx, runs) : [];
  const fresh = new Set(made.filter(({ duplicate }) => !duplicate).map(({ run_id }) => run_id));
  await openRuns(
    tx,
    scope,
    starts.flatMap(({ name, event }, index) => {
      const one = planned[index]!;
      return 'run' in one && fresh.has(one.run.run_id)
        ? [{ run_id: one.run.run_id, name, event_id: event.event_id }]
        : [];
    }),
    parts.database.now(),
  );
  failpoint('handlers.apply');
  return starts.map(({ name, event }, index): Delivery => {
    const one = planned[index]!;
    const delivery = { event_id: event.event_id, reaction: 'handler', name };
    if ('refused' in one) return { ...delivery, state: 'refused', reason: one.refused };
    return { ...delivery, state: 'delivered', run_id: one.run.run_id };
  });
}

/** What its plugin refuses today, though it was right when it was registered. */
function plan(parts: StarterParts, submit: Parameters<RunCreation['plan']>[0]): { run: NewRun } | { refused: string } {
  try {
    return { run: parts.creation().plan(submit) };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { refused: `${error.code}: ${error.message}` };
  }
}
