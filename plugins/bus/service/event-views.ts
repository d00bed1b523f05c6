import { type Database, Errors, type Sealer, token } from '../../../kernel/contracts/index.ts';
import type { Masker, RunMasks } from '../../masking/contract.ts';
import type { Delivery, EventBus, ProjectScope, StoredEvent } from '../contract.ts';
import { type DeliveryRow, type FiredRow, MOST_SHOWN, readDeliveries, readFired } from '../store/deliveries.ts';
import { type EventFilter, type EventHeader, listEvents } from '../store/event-rows.ts';

/** What came of an event, and how much more there is than what is listed. */
export interface ShownDeliveries {
  deliveries: Omit<Delivery, 'event_id'>[];
  /** Waits and cancels beyond those listed; 0 when all are. */
  more: number;
}

export interface EventViews {
  list(
    scope: ProjectScope,
    filter: EventFilter & { since?: number },
    limit: number,
  ): Promise<{ events: EventHeader[]; next_seq?: number }>;
  /** Masked with what the run was given that emitted it. Throws `not_found`. */
  read(scope: ProjectScope, event_id: string): Promise<{ event: StoredEvent } & ShownDeliveries>;
  /** Payloads of events of the project, masked, by event; those that are gone are left out. */
  payloads(scope: ProjectScope, event_ids: readonly string[]): Promise<ReadonlyMap<string, StoredEvent>>;
}

export const EventViews = token<EventViews>('bus.EventViews');

export interface ViewParts {
  database: Database;
  sealer: Sealer;
  bus: Pick<EventBus, 'read'>;
  masks: Pick<RunMasks, 'of'>;
}

export function createEventViews(parts: ViewParts): EventViews {
  const masked = async (event: StoredEvent): Promise<StoredEvent> => {
    const masker = await maskerOf(parts, event);
    if (!masker || masker.idle) return event;
    const { payload, fields } = event;
    return {
      ...event,
      payload: masker.json(payload),
      ...(fields === undefined ? {} : { fields: masker.json(fields) }),
    };
  };
  return {
    async list(scope, { since, ...filter }, limit) {
      const rows = await listEvents(parts.database, scope, filter, limit + 1);
      // Times never fall along the sequence: what is older ends the list, without an index on them.
      const young = since === undefined ? rows : rows.filter(({ recorded_at }) => Number(recorded_at) >= since);
      const events = young.slice(0, limit);
      return young.length > limit ? { events, next_seq: Number(events.at(-1)!.seq) } : { events };
    },
    async read(scope, event_id) {
      const event = await parts.bus.read(scope, event_id);
      if (!event) throw Errors.notFound(`there is no event ${event_id}`);
      return { event: await masked(event), ...(await deliveriesOf(parts.database, event)) };
    },
    async payloads(scope, event_ids) {
      const found = new Map<string, StoredEvent>();
      for (const event_id of event_ids) {
        const event = await parts.bus.read(scope, event_id);
        if (event) found.set(event_id, await masked(event));
      }
      return found;
    },
  };
}

/** Of the run that emitted the event, or whose event it is. */
async function maskerOf(parts: ViewParts, event: StoredEvent): Promise<Masker | undefined> {
  const { org_id, project_id, source, source_name: run_id } = event;
  if (!['emit', 'lifecycle', 'manual', 'spawn'].includes(source) || !run_id.startsWith('run_')) return undefined;
  return parts.masks.of({ org_id, project_id, run_id });
}

async function deliveriesOf(database: Database, event: StoredEvent): Promise<ShownDeliveries> {
  const rows = await readDeliveries(database, event, event.event_id);
  const reactions = rows.filter(({ reaction }) => reaction !== 'wait');
  const declined = rows.filter(({ reaction, others }) => reaction === 'wait' && others === null);
  const others = rows.reduce((sum, row) => sum + Number(row.others ?? 0), 0);
  const waits = await readFired(database, 'bus_waits', event, MOST_SHOWN);
  const cancels = await readFired(database, 'bus_cancels', event, MOST_SHOWN);
  const runs = [
    ...waits.rows.map((row) => firedDelivery('wait', row)),
    ...cancels.rows.map((row) => firedDelivery('cancel', row)),
    ...declined.map(shown),
  ];
  const count = waits.count + cancels.count + declined.length + others;
  const listed = runs.slice(0, MOST_SHOWN);
  return { deliveries: [...reactions.map(shown), ...listed], more: count - listed.length };
}

const shown = ({ reaction, name, state, reason, run_id }: DeliveryRow): Omit<Delivery, 'event_id'> => ({
  reaction,
  name,
  state,
  ...(reason === null ? {} : { reason }),
  ...(run_id === null ? {} : { run_id }),
});

/** `fired` is on its way: a server carries it out within a second. */
function firedDelivery(reaction: 'wait' | 'cancel', { run_id, state }: FiredRow): Omit<Delivery, 'event_id'> {
  const one = { reaction, name: run_id, run_id };
  if (state === 'delivered') return { ...one, state };
  if (state === 'fired') return { ...one, state: 'queued' };
  const reason = reaction === 'wait' ? 'the wait had ended before' : 'the run had ended before';
  return { ...one, state: 'declined', reason };
}
