import { iso } from '../../../../kernel/contracts/index.ts';
import type { Event } from '../generated/event.ts';
import type { EventHeader } from '../store/event-rows.ts';

type RenderedFields = Pick<EventHeader, 'event_id' | 'type' | 'source' | 'source_name' | 'generation' | 'recorded_at'>;

/** Renders an event as lists show it. */
export const renderEvent = (event: RenderedFields & { trusted: number | boolean }, key: string | null): Event => ({
  event: event.event_id,
  type: event.type,
  key,
  source: event.source,
  source_name: event.source_name,
  generation: Number(event.generation),
  trusted: Boolean(event.trusted),
  recorded_at: iso(event.recorded_at),
});
