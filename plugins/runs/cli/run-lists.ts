import { type Command, listCommand } from '../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';
import { paint, waitsFor } from './describe.ts';
import { RUN } from './run-argument.ts';

/** Commands for several runs. */
export const runLists: readonly Command[] = [
  {
    name: 'runs diff',
    summary: 'compare two runs: what started them, input, output, steps by their sites',
    about: 'Lines that begin with - are of the first run, with + of the second one.',
    args: [
      { ...RUN, name: 'a' },
      { ...RUN, name: 'b', summary: 'the run to compare it with' },
    ],
    examples: [['svc runs diff run_01J… run_01K…', 'why the second one failed']],
    load: () => import('./diff.ts'),
  },
  listCommand<RunView>({
    name: 'runs ls',
    summary: 'list runs, newest first',
    filters: {
      status: {
        type: 'string',
        many: true,
        choices: ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'],
        summary: 'only those in this status',
      },
      tag: { type: 'string', value: '<t>', summary: 'only those with this tag' },
      workflow: { type: 'string', value: '<name>', summary: 'only those of this workflow' },
      subject: { type: 'string', value: '<s>', summary: 'only those with this subject' },
      trigger: {
        type: 'string',
        value: '<what>',
        summary: 'only those it started: a type, handler:<name>, schedule:<name>, run:<id>',
      },
      since: { type: 'string', value: '<time>', summary: 'only those created since: a time (ISO 8601), or 2h' },
      until: { type: 'string', value: '<time>', summary: 'only those created before' },
    },
    examples: [
      ['svc runs ls --status waiting', 'what waits'],
      ['svc runs ls --status failed --status cancelled', 'what went wrong; --status failed,cancelled is the same'],
      ['svc runs ls --trigger handler:report --status failed', 'what a handler started that failed'],
    ],
    path: '/runs',
    member: 'runs',
    columns: {
      run: 'run_id',
      status: (run, output) => `${paint(run.status, output)}${waitsFor(run)}`,
      workflow: 'workflow',
      created: 'created_at',
      tags: ({ tags }) => tags.join(' '),
    },
  }),
];
