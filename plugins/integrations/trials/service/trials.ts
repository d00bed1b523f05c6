import {
  type Database,
  type Ids,
  isServiceError,
  type Scope,
  type Sealer,
  ServiceError,
} from '../../../../kernel/contracts/index.ts';
import type { EventBus, NewEvent } from '../../../events/bus/contract.ts';
import type { ForgeEvents } from '../../forges/contract.ts';
import type { RunCreation, SubmitRun, Workflow } from '../../../engine/runs/contract.ts';
import { readTrialEvent, type TrialEvent } from '../domain/trial-event.ts';
import type { StartedTrial } from '../generated/started-trial.ts';

export type TrialBody = Workflow & { event: unknown };
type TrialScope = Scope & Pick<SubmitRun, 'submitted_by' | 'by'>;

export interface TrialDeps {
  database: Pick<Database, 'transaction'>;
  sealer: Pick<Sealer, 'prepare'>;
  ids: Pick<Ids, 'next'>;
  bus: Pick<EventBus, 'record'>;
  creation: Pick<RunCreation, 'prepare' | 'createIn'>;
  forges: ForgeEvents;
}

/** Runs that begin as if a webhook, a schedule or a handler had started them. */
export class Trials {
  readonly #deps: TrialDeps;

  constructor(deps: TrialDeps) {
    this.#deps = deps;
  }

  /**
   * Runs a workflow for an event. Throws `invalid_request` for an event that no sender could have sent, and the errors
   * of a submit.
   */
  async run(scope: TrialScope, { event: event_file, ...workflow }: TrialBody): Promise<StartedTrial> {
    const { database, sealer, ids, bus, creation, forges } = this.#deps;
    const event = await withEventPointers(() => readTrialEvent(event_file, forges));
    const event_id = ids.next('evt');
    const run = await creation.prepare({ ...scope, ...workflow, ...toSubmit(workflow, event, event_id) });
    await sealer.prepare(scope.org_id);
    return database.transaction(async (tx) => {
      await bus.record(tx, [toNewEvent(scope, event, event_id)]);
      const [made] = await creation.createIn(tx, [run]);
      return { run_id: made!.run_id, status: made!.status, event: event_id };
    });
  }
}

/** Returns the generation and the trigger that handlers, webhooks and schedules give to their runs. */
function toSubmit(workflow: Workflow, { type, key, payload, fields, source, trusted }: TrialEvent, event_id: string) {
  const single = Object.entries(fields).filter(([, value]) => typeof value !== 'object');
  return {
    trigger: { ...Object.fromEntries(single), type, event: event_id },
    envelope: { type, $ref: `bus:${event_id}` },
    event_payload: payload,
    triggered: true,
    subject: workflow.subject ?? key ?? undefined,
    trusted,
    generation: type === 'push' || source === 'schedule' ? 0 : 1,
  };
}

const toNewEvent = ({ org_id, project_id }: Scope, event: TrialEvent, event_id: string): NewEvent => ({
  ...event,
  org_id,
  project_id,
  event_id,
  source_name: '',
  generation: 0,
  refusable: false,
});

/** Moves the pointers of errors below the member of the body. */
async function withEventPointers<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const errors = error.extras.errors?.map(({ pointer, message }) => ({ pointer: `/event${pointer}`, message }));
    throw new ServiceError(error.definition, `the event: ${error.message}`, { ...error.extras, errors });
  }
}
