import {
  type Database,
  failpoint,
  isServiceError,
  type Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { Delivery, ProjectScope } from '../../bus/contract.ts';
import type { NewRun, RunCreation } from '../../runs/contract.ts';
import { MOST_IN_FLIGHT } from '../domain/ceilings.ts';
import type { Definition } from '../domain/document.ts';
import { type StartEvent, submitOf } from '../domain/start.ts';
import { type HandlerRow, readHandlers } from '../store/handler-table.ts';
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

type Planned = { run: NewRun } | { refused: string };

/**
 * Makes handler runs, and counts them as open. The project's bus is locked, and there is room for so many. Answers what
 * came of the first ones, in order: what cannot be run any more is refused, and takes no place. The others, if any, are
 * left as they are: those behind the last place, and those of more handlers than are read at once.
 */
export async function startRuns(
  parts: StarterParts,
  tx: Transaction,
  scope: ProjectScope,
  starts: readonly Start[],
  room: number,
): Promise<Delivery[]> {
  if (starts.length === 0) return [];
  const names = [...new Set(starts.map(({ name }) => name))].slice(0, MOST_IN_FLIGHT);
  const rows = await readHandlers(tx, scope, names);
  const beyond = starts.findIndex(({ name }) => !names.includes(name));
  const planned = planAll(parts, rows, beyond < 0 ? starts : starts.slice(0, beyond), room);
  const runs = planned.flatMap((one) => ('run' in one ? [one.run] : []));
  const made = runs.length > 0 ? await parts.creation().createIn(tx, runs) : [];
  const fresh = new Set(made.filter(({ duplicate }) => !duplicate).map(({ run_id }) => run_id));
  await openRuns(
    tx,
    scope,
    planned.flatMap((one, index) => {
      const { name, event } = starts[index]!;
      return 'run' in one && fresh.has(one.run.run_id)
        ? [{ run_id: one.run.run_id, name, event_id: event.event_id }]
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

/** Up to the first one that finds no place. */
function planAll(
  parts: StarterParts,
  rows: ReadonlyMap<string, HandlerRow>,
  starts: readonly Start[],
  room: number,
): Planned[] {
  const definitions = new Map([...rows].map(([name, row]) => [name, openDefinition(parts.sealer, row)]));
  const planned: Planned[] = [];
  let runs = 0;
  for (const { name, event } of starts) {
    const [row, definition] = [rows.get(name), definitions.get(name)];
    const one = row && definition ? planOne(parts, row, definition, event) : { refused: 'the handler was removed' };
    if ('run' in one && ++runs > room) break;
    planned.push(one);
  }
  return planned;
}

function planOne(parts: StarterParts, row: HandlerRow, definition: Definition, event: StartEvent): Planned {
  if (!event.trusted && Object.keys(definition.credentials ?? {}).length > 0)
    return { refused: 'untrusted_run_declares_credential: the handler has come to declare credentials' };
  return plan(parts, submitOf(row, definition, event));
}

/** What its plugin refuses today, though it was right when it was registered. */
function plan(parts: StarterParts, submit: Parameters<RunCreation['plan']>[0]): Planned {
  try {
    return { run: parts.creation().plan(submit) };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { refused: `${error.code}: ${error.message}` };
  }
}
