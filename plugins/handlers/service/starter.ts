import { type Database, failpoint, type Transaction } from '../../../kernel/contracts/index.ts';
import type { Delivery, ProjectScope } from '../../bus/contract.ts';
import { type RunCreation, type RunLimits, type SubmitResult, TERMINAL, type Workflow } from '../../runs/contract.ts';
import type { PlannedRun, StoredWorkflows } from '../../workflows/contract.ts';
import { MAX_IN_FLIGHT } from '../domain/ceilings.ts';
import { afterStart, hasPlace, type Room } from '../domain/room.ts';
import { type StartEvent, startOf } from '../domain/start.ts';
import { addCounts } from '../store/counts.ts';
import { type HandlerRow, readHandlers } from '../store/handlers.ts';
import { openRuns } from '../store/open-runs.ts';
import { placeOf } from './definitions.ts';

export interface StarterParts {
  database: Pick<Database, 'now'>;
  workflows: StoredWorkflows;
  limits: Pick<RunLimits, 'project'>;
  /** Resolved late: the engine calls this plugin when runs end. */
  creation(): Pick<RunCreation, 'createIn' | 'untrustedRefusal' | 'countStarted'>;
}

/** One run to be made. */
export interface Start {
  name: string;
  event: StartEvent;
  /** The id of the replay that starts it. */
  replay?: string;
}

const REMOVED: PlannedRun = { refused: 'the handler was removed' };

/**
 * Creates handler runs, and counts those that do not wait from their beginning. The caller holds the lock of the project's bus. Answers the outcomes of
 * the first starts in order; a start that is refused takes no slot. The others are left unchanged: those from the first
 * without a slot on, and those of more handlers than are read at once.
 */
export async function startRuns(
  parts: StarterParts,
  tx: Transaction,
  scope: ProjectScope,
  starts: readonly Start[],
  room: Room,
): Promise<Delivery[]> {
  if (starts.length === 0) return [];
  const names = [...new Set(starts.map(({ name }) => name))].slice(0, MAX_IN_FLIGHT);
  const rows = await readHandlers(tx, scope, names);
  const beyond = starts.findIndex(({ name }) => !names.includes(name));
  const planned = await planAll(parts, tx, rows, beyond < 0 ? starts : starts.slice(0, beyond), room);
  const runs = planned.flatMap((one) => ('run' in one ? [one.run] : []));
  const made = runs.length > 0 ? await parts.creation().createIn(tx, runs) : [];
  // A run without work for an agent may be over already: its end was recorded before it could be counted.
  const open = made.filter(({ duplicate, status }) => !duplicate && !TERMINAL.includes(status));
  const fresh = new Map(open.map(({ run_id, status }) => [run_id, status]));
  await countStarts(parts, tx, scope, starts, planned, made);
  await openRuns(
    tx,
    scope,
    planned.flatMap((one, index) => {
      const { name, event } = starts[index]!;
      return 'run' in one && fresh.has(one.run.run_id)
        ? [
            {
              ...{ run_id: one.run.run_id, name, event_id: event.event_id, trusted: event.trusted },
              waiting: fresh.get(one.run.run_id) === 'waiting',
            },
          ]
        : [];
    }),
    parts.database.now(),
  );
  failpoint('handlers.apply');
  return planned.map((one, index): Delivery => {
    const { name, event } = starts[index]!;
    const delivery = { event_id: event.event_id, reaction: 'handler', name };
    if ('refused' in one) return { ...delivery, state: 'refused', reason: one.refused };
    return { ...delivery, state: 'delivered', run_id: one.run.run_id };
  });
}

/** A run that has failed within the transaction was not counted at its end: nobody knew yet that it is a handler's. */
async function countStarts(
  { database }: StarterParts,
  tx: Transaction,
  scope: ProjectScope,
  starts: readonly Start[],
  planned: readonly PlannedRun[],
  made: readonly SubmitResult[],
): Promise<void> {
  const names = new Map(planned.flatMap((one, at) => ('run' in one ? [[one.run.run_id, starts[at]!.name]] : [])));
  const did = made
    .filter(({ duplicate }) => !duplicate)
    .flatMap(({ run_id, status }) => {
      const name = names.get(run_id)!;
      const started = { name, kind: 'started' as const };
      return status === 'failed' ? [started, { name, kind: 'failed' as const }] : [started];
    });
  await addCounts(tx, scope, did, database.now());
}

/** Stops at the first start without a free slot. */
async function planAll(
  { workflows }: StarterParts,
  tx: Transaction,
  rows: ReadonlyMap<string, HandlerRow>,
  starts: readonly Start[],
  room: Room,
): Promise<PlannedRun[]> {
  const opened = new Map([...rows].map(([name, row]) => [name, workflows.open(placeOf(row), row.definition)]));
  const planned: PlannedRun[] = [];
  let left = room;
  for (const { name, event, replay } of starts) {
    const [row, workflow] = [rows.get(name), opened.get(name)];
    const one = row && workflow ? await planOne(workflows, tx, row, workflow, event, replay) : REMOVED;
    if ('run' in one) {
      if (!hasPlace(left, event.trusted)) break;
      left = afterStart(left, event.trusted);
    }
    planned.push(one);
  }
  return planned;
}

async function planOne(
  workflows: StoredWorkflows,
  tx: Transaction,
  row: HandlerRow,
  workflow: Workflow,
  event: StartEvent,
  replay: string | undefined,
): Promise<PlannedRun> {
  if (!event.trusted && Object.keys(workflow.credentials ?? {}).length > 0)
    return { refused: 'untrusted_run_declares_credential: the handler now declares credentials' };
  return workflows.plan(tx, row, workflow, startOf(row.name, event, replay));
}
