import type { Api, Output } from '../../../../cli/contract.ts';

export type TriggerView = Api.TriggerView;

export const sourceOf = ({ connector, trigger }: TriggerView): string => `${connector}.${trigger}`;

/** When it polls next, or since when it is paused. */
export const formatNext = ({ paused, paused_since, paused_by, next_poll }: TriggerView, output: Output): string =>
  paused
    ? `paused since ${output.time(paused_since)}${paused_by === undefined ? '' : ` by ${paused_by}`}`
    : output.time(next_poll);

/** Such as `3 items, 1 event`, or the error. */
export function formatLast({ last_poll, failures }: TriggerView): string | undefined {
  if (last_poll === undefined) return undefined;
  const { items, events, error } = last_poll;
  if (error) return `failed ${failures === 1 ? 'once' : `${failures} times`}: ${error.message} (${error.code})`;
  return `${items} item${items === 1 ? '' : 's'}, ${events} event${events === 1 ? '' : 's'}`;
}
