import type { Sealer } from '../../../kernel/contracts/index.ts';
import type { PendingEvent } from '../contract.ts';
import { openBody } from '../store/event-rows.ts';
import type { OutboxRow } from '../store/outbox.ts';
import type { Recording } from './recording.ts';

/** The service's own announcements: never refused, never repeated, and nobody is told their number. */
export const canBeHandedOver = ({ event, by }: Recording): boolean =>
  !event.refusable && event.dedup === undefined && by === undefined;

/** An event of the outbox. The org's keys must be ready. */
export function recordingOf(sealer: Sealer, row: OutboxRow): Recording {
  const { event_id, org_id, project_id, type, event_key: key, source, source_name } = row;
  const { payload, fields } = openBody(sealer, row, event_id, row.body);
  const event: PendingEvent = {
    ...{ event_id, org_id, project_id, type, key, payload, source, source_name },
    ...(fields === undefined ? {} : { fields }),
    generation: Number(row.generation),
    trusted: row.trusted === 1,
    withheld: row.withheld === 1,
    refusable: false,
    handed_over: true,
  };
  return { event, sealed: row.body, by: undefined, attempted: false };
}

const STEPS: Readonly<Record<string, number>> = { manual: 0, spawn: 0, 'run.started': 1 };

/** The events of one run in the order in which they happened, should the servers' clocks tell another one. */
export function inOrderOfRuns(recordings: readonly Recording[]): Recording[] {
  const step = ({ event }: Recording) => STEPS[event.type] ?? 2;
  const ordered = [...recordings];
  const places = new Map<string, number[]>();
  for (const [at, { event }] of recordings.entries())
    places.set(event.source_name, [...(places.get(event.source_name) ?? []), at]);
  for (const own of places.values()) {
    const sorted = own.map((at) => recordings[at]!).sort((a, b) => step(a) - step(b));
    for (const [index, at] of own.entries()) ordered[at] = sorted[index]!;
  }
  return ordered;
}
