import {
  type Database,
  type Ids,
  isServiceError,
  type Scope,
  type Sealer,
  ServiceError,
} from '../../../kernel/contracts/index.ts';
import type { EventBus, NewEvent } from '../../bus/contract.ts';
import type { ForgeEvents } from '../../forges/contract.ts';
import type { RunCreation, SubmitRun, Workflow } from '../../runs/contract.ts';
import { readTrialEvent, type TrialEvent } from '../domain/trial-event.ts';
import type { StartedTrial } from '../generated/started-trial.ts';

export type TrialBody = Workflow & { event: unknown };
type About = Scope & Pick<SubmitRun, 'submitted_by' | 'by'>;

export interface TrialParts {
  database: Pick<Database, 'transaction'>;
  sealer: Pick<Sealer, 'prepare'>;
  ids: Pick<Ids, 'next'>;
  bus: Pick<EventBus, 'record'>;
  creation: Pick<RunCreation, 'prepare' | 'createIn'>;
  forges: ForgeEvents;
}

/** Runs that begin as if a webhook, a schedule or a handler had started them. */
export class Trials {
  readonly #parts: TrialParts;

  constructor(parts: TrialParts) {
    this.#parts = parts;
  }

  /** Throws `invalid_request` for an event that nothing could have sent, and the errors of a submit. */
  async run(about: About, { event: given, ...workflow }: TrialBody): Promise<StartedTrial> {
    const { database, sealer, ids, bus, creation, forges } = this.#parts;
    const event = inEvent(() => readTrialEvent(given, forges));
    const event_id = ids.next('evt');
    const run = await creation.prepare({ ...about, ...workflow, ...startOf(workflow, event, event_id) });
    await sealer.prepare(about.org_id);
    return database.transaction(async (tx) => {
      await bus.record(tx, [newEvent(about, event, event_id)]);
      const [made] = await creation.createIn(tx, [run]);
      return { run_id: made!.run_id, status: made!.status, event: event_id };
    });
  }
}

/** Generation and trigger as handlers, webhooks and schedules give them to their runs. */
function startOf(workflow: Workflow, { type, key, fields, source, trusted }: TrialEvent, event_id: string) {
  const single = Object.entries(fields).filter(([, value]) => typeof value !== 'object');
  return {
    trigger: { ...Object.fromEntries(single), type, event: event_id },
    envelope: { type, $ref: `bus:${event_id}` },
    triggered: true,
    subject: workflow.subject ?? key ?? undefined,
    trusted,
    generation: type === 'push' || source === 'schedule' ? 0 : 1,
  };
}

const newEvent = ({ org_id, project_id }: Scope, event: TrialEvent, event_id: string): NewEvent => ({
  ...event,
  ...{ org_id, project_id, event_id, source_name: '', generation: 0, refusable: false },
});

/** Faults point into the member of the body. */
function inEvent<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const errors = error.extras.errors?.map(({ pointer, message }) => ({ pointer: `/event${pointer}`, message }));
    throw new ServiceError(error.definition, `the event: ${error.message}`, { ...error.extras, errors });
  }
}
