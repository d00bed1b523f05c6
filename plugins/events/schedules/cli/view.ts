import type { Api, Output } from '../../../../cli/contract.ts';

export type ScheduleView = Api.ScheduleView;

/** What a tick starts, in one word. */
export const workflowKind = ({ workflow }: ScheduleView): string =>
  workflow === null ? '(event only)' : String(workflow.filename ?? `a ${workflow.kind}`);

/** Such as `since 2026-11-24T09:00:00.000Z by ana`. */
const formatPause = (
  { paused_since, paused_by }: Pick<ScheduleView, 'paused_since' | 'paused_by'>,
  output: Output,
): string | undefined =>
  paused_since && `since ${output.time(paused_since)}${paused_by === undefined ? '' : ` by ${paused_by}`}`;

export const formatDue = ({ paused, next_due, ...rest }: ScheduleView, output: Output): string =>
  paused ? ['paused', formatPause(rest, output)].filter(Boolean).join(' ') : output.time(next_due) || 'never again';
