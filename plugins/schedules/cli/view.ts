import type { Api } from '../../../cli/contract.ts';

export type ScheduleView = Api.ScheduleView;

/** What a tick starts, in one word. */
export const startsOf = ({ workflow }: ScheduleView): string =>
  workflow === null ? 'an event' : String(workflow.filename ?? `a ${workflow.kind}`);

export const dueOf = ({ paused, next_due }: ScheduleView): string => (paused ? 'paused' : (next_due ?? 'never again'));
