import { formatDuration, iso } from '../../../../kernel/contracts/index.ts';
import type { TriggerView } from '../generated/trigger.ts';
import type { TriggerRow } from '../store/triggers.ts';

/** The values that a trigger is set with. */
export interface TriggerConfig {
  with: { [name: string]: unknown };
  input: { [name: string]: unknown };
}

const optional = <T>(name: string, value: T | null | undefined): Record<string, T> =>
  value === null || value === undefined ? {} : { [name]: value };

export function toView(
  row: TriggerRow,
  {
    config,
    cursor,
    default_every_ms,
  }: { config: TriggerConfig; cursor: unknown; default_every_ms: number | undefined },
): TriggerView {
  return {
    name: row.name,
    connector: row.connector,
    trigger: row.source,
    ...optional('credential', row.credential),
    every: formatDuration(Number(row.every_ms)),
    ...optional('default_every', default_every_ms === undefined ? null : formatDuration(default_every_ms)),
    from: row.from_beginning === 1 ? 'beginning' : 'now',
    with: config.with,
    input: config.input,
    paused: row.paused_at !== null,
    ...optional('paused_since', row.paused_at === null ? null : iso(Number(row.paused_at))),
    ...optional('paused_by', row.paused_by),
    ...optional('next_poll', row.next_poll === null ? null : iso(Number(row.next_poll))),
    ...optional('cursor', cursor),
    ...(row.polled_at === null ? {} : { last_poll: toPoll(row, Number(row.polled_at)) }),
    failures: Number(row.failures),
    created_at: iso(Number(row.created_at)),
    set_at: iso(Number(row.set_at)),
  };
}

const toPoll = (row: TriggerRow, at: number): NonNullable<TriggerView['last_poll']> => ({
  at: iso(at),
  items: Number(row.items ?? 0),
  events: Number(row.events ?? 0),
  ...optional('warning', row.warning),
  ...(row.error === null ? {} : { error: { code: row.error_code ?? 'internal', message: row.error } }),
});
