import type { Flags } from '../../../../cli/contract.ts';
import { RUN_STATUSES } from '../explain/run-statuses.ts';

/** How runs are selected, by every command for several of them. Each name is also a parameter of `GET …/runs`. */
export const FILTER_FLAGS: Flags = {
  status: { type: 'string', many: true, choices: RUN_STATUSES, summary: 'only runs with this status' },
  paused: { type: 'boolean', summary: 'only paused runs' },
  tag: { type: 'string', value: '<t>', summary: 'only runs with this tag' },
  workflow: { type: 'string', value: '<name>', summary: 'only runs of this workflow' },
  subject: { type: 'string', value: '<s>', summary: 'only runs with this subject' },
  trigger: {
    type: 'string',
    value: '<what>',
    run: 'run:',
    summary: 'only this cause: an event type, handler:<name>, schedule:<name>, run:<id>',
  },
  output: { type: 'string', value: '<words>', summary: 'only runs that have ended and have these words in an output' },
  error: { type: 'string', value: '<words>', summary: 'only runs that have ended and have these words in their error' },
  step: {
    type: 'string',
    value: '<name>',
    summary: 'only runs that have ended and have a step, job or node with this name',
  },
  account: { type: 'string', value: '<name>', summary: 'only runs that have ended and use this account or credential' },
  since: { type: 'string', value: '<time>', summary: 'only runs created since: a time (ISO 8601), or 2h' },
  until: { type: 'string', value: '<time>', summary: 'only runs created before' },
};
