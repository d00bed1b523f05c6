import { type Database, Errors, type Sealer } from '../../../../kernel/contracts/index.ts';
import type { Masker, RunMasks } from '../../../security/masking/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import type {
  Delivery,
  DeliveryWait,
  EventBus,
  EventReaction,
  ProjectScope,
  Replay,
  StoredEvent,
} from '../contract.ts';
import { type DeliveryRow, type MatchedRow, MAX_SHOWN, readDeliveries, listMatched } from '../store/deliveries.ts';
import { type EventFilter, type EventHeader, listEvents } from '../store/event-rows.ts';
import { readReplays } from '../store/replays.ts';
import { readSamples, type SeenType } from '../store/types.ts';

/** The deliveries of an event, and how many are not listed. */
export interface DeliveriesView {
  deliveries: (Omit<Delivery, 'event_id'> & { waits?: DeliveryWait })[];
  /** Waits and cancels that are not listed; 0 if all are. */
  unlisted_count: number;
  /** Newest first. */
  replays: Replay[];
}

export interface EventViews {
  list(scope: ProjectScope, filter: EventFilter, limit: number): Promise<{ events: EventHeader[]; next_seq?: number }>;
  /** Returns the event, masked with the secret values of the emitting run. Throws `not_found`. */
  read(scope: ProjectScope, event_id: string): Promise<{ event: StoredEvent } & DeliveriesView>;
  /** Returns masked samples by the id of the last event of each type. Types without a readable sample are left out. */
  samples(scope: ProjectScope, types: readonly SeenType[]): Promise<ReadonlyMap<string, Json>>;
}

export interface ViewDeps {
  database: Database;
  sealer: Sealer;
  bus: Pick<EventBus, 'read'>;
  reactions: () => readonly Pick<EventReaction, 'describeQueued'>[];
  masks: Pick<RunMasks, 'of'>;
}

export function createEventViews(deps: ViewDeps): EventViews {
  const maskEvent = async (event: StoredEvent): Promise<StoredEvent> => {
    const masker = await findMasker(deps, event);
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
      const { rows, searched_to } = await listEvents(deps.database, scope, filter, limit + 1);
      const { since } = filter;
      // Times never decrease along the sequence, so the first older event ends the list without an index on times.
      const recent = since === undefined ? rows : rows.filter(({ recorded_at }) => Number(recorded_at) >= since);
      const events = recent.slice(0, limit);
      if (recent.length > limit) return { events, next_seq: Number(events.at(-1)!.seq) };
      return searched_to === undefined || recent.length < rows.length ? { events } : { events, next_seq: searched_to };
    },
    async read(scope, event_id) {
      const event = await deps.bus.read(scope, event_id);
      if (!event) throw Errors.notFound(`there is no event ${event_id}`);
      const view = await readDeliveriesView(deps.database, event);
      return { event: await maskEvent(event), ...view, deliveries: await addWaits(deps, event, view.deliveries) };
    },
    async samples(scope, types) {
      await deps.sealer.prepare(scope.org_id);
      const samples = new Map<string, Json>();
      for (const [event_id, event] of await readSamples(deps.database, deps.sealer, scope, types)) {
        const masker = await findMasker(deps, event);
        samples.set(event_id, !masker || masker.idle ? event.payload : masker.json(event.payload));
      }
      return samples;
    },
  };
}

/** Adds what queued deliveries to handlers wait for. */
async function addWaits(
  { reactions }: ViewDeps,
  event: StoredEvent,
  deliveries: DeliveriesView['deliveries'],
): Promise<DeliveriesView['deliveries']> {
  const names = deliveries
    .filter(({ reaction, state }) => reaction === 'handler' && state === 'queued')
    .map(({ name }) => name);
  if (names.length === 0) return deliveries;
  const waits = new Map<string, DeliveryWait>();
  for (const reaction of reactions())
    for (const [name, wait] of (await reaction.describeQueued?.(event, names)) ?? []) waits.set(name, wait);
  return deliveries.map((delivery) => {
    const wait = delivery.reaction === 'handler' ? waits.get(delivery.name) : undefined;
    return wait ? { ...delivery, waits: wait } : delivery;
  });
}

/** Returns the masker of the run that emitted the event or that the event reports on. */
async function findMasker(
  deps: ViewDeps,
  event: ProjectScope & Pick<StoredEvent, 'source' | 'source_name'>,
): Promise<Masker | undefined> {
  const { org_id, project_id, source, source_name: run_id } = event;
  if (!['emit', 'lifecycle', 'manual', 'spawn'].includes(source) || !run_id.startsWith('run_')) return undefined;
  return deps.masks.of({ org_id, project_id, run_id });
}

/** Reactions that concern existing runs; there may be thousands of them. */
const RUN_REACTIONS = ['wait', 'cancel'];

async function readDeliveriesView(database: Database, event: StoredEvent): Promise<DeliveriesView> {
  const rows = await readDeliveries(database, event, event.event_id);
  const reactions = rows.filter(({ reaction }) => !RUN_REACTIONS.includes(reaction));
  const declined = rows.filter(({ reaction, others }) => RUN_REACTIONS.includes(reaction) && others === null);
  const other_count = rows.reduce((sum, row) => sum + Number(row.others ?? 0), 0);
  const replays = await readReplays(database, event, event.event_id);
  const waits = await listMatched(database, 'bus_waits', event, MAX_SHOWN);
  const cancels = await listMatched(database, 'bus_cancels', event, MAX_SHOWN);
  const runs = [
    ...waits.rows.map((row) => renderMatch('wait', row)),
    ...cancels.rows.map((row) => renderMatch('cancel', row)),
    ...declined.map(renderDelivery),
  ];
  const count = waits.count + cancels.count + declined.length + other_count;
  const listed = runs.slice(0, MAX_SHOWN);
  return { deliveries: [...reactions.map(renderDelivery), ...listed], unlisted_count: count - listed.length, replays };
}

const renderDelivery = ({ reaction, name, state, reason, run_id }: DeliveryRow): Omit<Delivery, 'event_id'> => ({
  reaction,
  name,
  state,
  reason: reason ?? undefined,
  run_id: run_id ?? undefined,
});

/** The state `fired` means that the delivery is in progress: a server completes it within a second. */
function renderMatch(reaction: 'wait' | 'cancel', { run_id, state }: MatchedRow): Omit<Delivery, 'event_id'> {
  const delivery = { reaction, name: run_id, run_id };
  if (state === 'delivered') return { ...delivery, state };
  if (state === 'fired') return { ...delivery, state: 'queued' };
  const reason = reaction === 'wait' ? 'the wait had already ended' : 'the run had already ended';
  return { ...delivery, state: 'declined', reason };
}
