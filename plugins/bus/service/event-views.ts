import { type Database, Errors, type Sealer } from '../../../kernel/contracts/index.ts';
import type { Masker, RunMasks } from '../../masking/contract.ts';
import type { Json } from '../../runs/contract.ts';
import type { Delivery, EventBus, ProjectScope, Replay, StoredEvent } from '../contract.ts';
import { type DeliveryRow, type FiredRow, MAX_SHOWN, readDeliveries, readFired } from '../store/deliveries.ts';
import { type EventFilter, type EventHeader, listEvents } from '../store/event-rows.ts';
import { readReplays } from '../store/replays.ts';
import { readSamples, type SeenType } from '../store/types.ts';

/** The deliveries of an event, and how many more there are than listed. */
export interface ShownDeliveries {
  deliveries: Omit<Delivery, 'event_id'>[];
  /** Waits and cancels that are not listed; 0 when all are. */
  more: number;
  /** Newest first. */
  replays: Replay[];
}

export interface EventViews {
  list(scope: ProjectScope, filter: EventFilter, limit: number): Promise<{ events: EventHeader[]; next_seq?: number }>;
  /** Masked with the secret values of the emitting run. Throws `not_found`. */
  read(scope: ProjectScope, event_id: string): Promise<{ event: StoredEvent } & ShownDeliveries>;
  /** What there is to show of the last events of types, masked, by event. Those of which nothing is known are left out. */
  samples(scope: ProjectScope, types: readonly SeenType[]): Promise<ReadonlyMap<string, Json>>;
}

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
      fields: fields === undefined ? undefined : masker.json(fields),
    };
  };
  return {
    async list(scope, filter, limit) {
      const { rows, looked_to } = await listEvents(parts.database, scope, filter, limit + 1);
      const { since } = filter;
      // Times never decrease along the sequence, so an older event ends the list without an index on times.
      const young = since === undefined ? rows : rows.filter(({ recorded_at }) => Number(recorded_at) >= since);
      const events = young.slice(0, limit);
      if (young.length > limit) return { events, next_seq: Number(events.at(-1)!.seq) };
      return looked_to === undefined || young.length < rows.length ? { events } : { events, next_seq: looked_to };
    },
    async read(scope, event_id) {
      const event = await parts.bus.read(scope, event_id);
      if (!event) throw Errors.notFound(`there is no event ${event_id}`);
      return { event: await masked(event), ...(await deliveriesOf(parts.database, event)) };
    },
    async samples(scope, types) {
      await parts.sealer.prepare(scope.org_id);
      const found = new Map<string, Json>();
      for (const [event_id, event] of await readSamples(parts.database, parts.sealer, scope, types)) {
        const masker = await maskerOf(parts, event);
        found.set(event_id, !masker || masker.idle ? event.payload : masker.json(event.payload));
      }
      return found;
    },
  };
}

/** The run that emitted the event, or that the event reports on. */
async function maskerOf(
  parts: ViewParts,
  event: ProjectScope & Pick<StoredEvent, 'source' | 'source_name'>,
): Promise<Masker | undefined> {
  const { org_id, project_id, source, source_name: run_id } = event;
  if (!['emit', 'lifecycle', 'manual', 'spawn'].includes(source) || !run_id.startsWith('run_')) return undefined;
  return parts.masks.of({ org_id, project_id, run_id });
}

/** Reactions of runs that go on already; there may be thousands. */
const OF_RUNS = ['wait', 'cancel'];

async function deliveriesOf(database: Database, event: StoredEvent): Promise<ShownDeliveries> {
  const rows = await readDeliveries(database, event, event.event_id);
  const reactions = rows.filter(({ reaction }) => !OF_RUNS.includes(reaction));
  const declined = rows.filter(({ reaction, others }) => OF_RUNS.includes(reaction) && others === null);
  const others = rows.reduce((sum, row) => sum + Number(row.others ?? 0), 0);
  const replays = await readReplays(database, event, event.event_id);
  const waits = await readFired(database, 'bus_waits', event, MAX_SHOWN);
  const cancels = await readFired(database, 'bus_cancels', event, MAX_SHOWN);
  const runs = [
    ...waits.rows.map((row) => firedDelivery('wait', row)),
    ...cancels.rows.map((row) => firedDelivery('cancel', row)),
    ...declined.map(shown),
  ];
  const count = waits.count + cancels.count + declined.length + others;
  const listed = runs.slice(0, MAX_SHOWN);
  return { deliveries: [...reactions.map(shown), ...listed], more: count - listed.length, replays };
}

const shown = ({ reaction, name, state, reason, run_id }: DeliveryRow): Omit<Delivery, 'event_id'> => ({
  reaction,
  name,
  state,
  reason: reason ?? undefined,
  run_id: run_id ?? undefined,
});

/** `fired` means in progress: a server delivers it within a second. */
function firedDelivery(reaction: 'wait' | 'cancel', { run_id, state }: FiredRow): Omit<Delivery, 'event_id'> {
  const one = { reaction, name: run_id, run_id };
  if (state === 'delivered') return { ...one, state };
  if (state === 'fired') return { ...one, state: 'queued' };
  const reason = reaction === 'wait' ? 'the wait had already ended' : 'the run had already ended';
  return { ...one, state: 'declined', reason };
}
