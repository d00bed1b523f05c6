import type { Flags } from '../../../cli/contract.ts';

const STATUSES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'];

/** How runs are selected, by every command for several of them. */
export const FILTER_FLAGS: Flags = {
  status: { type: 'string', many: true, choices: STATUSES, summary: 'only those in this status' },
  tag: { type: 'string', value: '<t>', summary: 'only those with this tag' },
  workflow: { type: 'string', value: '<name>', summary: 'only those of this workflow' },
  subject: { type: 'string', value: '<s>', summary: 'only those with this subject' },
  trigger: {
    type: 'string',
    value: '<what>',
    run: 'run:',
    summary: 'only those it started: a type, handler:<name>, schedule:<name>, run:<id>',
  },
  since: { type: 'string', value: '<time>', summary: 'only those created since: a time (ISO 8601), or 2h' },
  until: { type: 'string', value: '<time>', summary: 'only those created before' },
};
