import { type Command, listCommand } from '../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';
import { paint, tookOf, waitsFor } from './describe.ts';
import { CHANGE_FLAGS } from './change-flags.ts';
import { FILTER_FLAGS } from './filter-flags.ts';
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
  {
    name: 'runs cancel',
    summary: 'cancel all runs that a filter selects, after a preview',
    about:
      'Shows which runs are meant. On a terminal it asks then; elsewhere it does nothing without --yes. Without --status all runs\n' +
      'that have not ended are meant. One that ends meanwhile stays as it is. Exits 1 if one could not be cancelled.',
    flags: {
      ...FILTER_FLAGS,
      reason: { type: 'string', value: '<text>', summary: 'reason that is stored with the runs' },
      ...CHANGE_FLAGS,
    },
    examples: [
      ["svc runs cancel --workflow etl.py --since 2h --reason 'wrong input'", 'shows them, and asks'],
      ['svc runs cancel --status queued --tag team:data --yes', 'in a script'],
    ],
    load: () => import('./runs-cancel.ts'),
  },
  {
    name: 'runs rerun',
    summary: 'run all runs that a filter selects again, after a preview',
    about:
      'Without --status those that failed are meant. Shows which these are. On a terminal it asks then; elsewhere it does nothing\n' +
      'without --yes. A run that this command has rerun before is left alone, so that it can be called again after it was\n' +
      'stopped in the middle; with --again it is rerun once more. Exits 1 if one could not be rerun.',
    flags: {
      ...FILTER_FLAGS,
      from: { type: 'string', value: '<site>', summary: 'keep what was recorded before this site, or a node' },
      anew: { type: 'boolean', summary: 'everything: keep nothing of pipelines and graphs' },
      again: { type: 'boolean', summary: 'also those that this command has rerun before' },
      ...CHANGE_FLAGS,
    },
    examples: [
      ['svc runs rerun --trigger handler:report --since 1d', 'what a handler started that failed'],
      ["svc runs rerun --workflow deploy.sh --from 'ship#0' --yes", 'keeps the results of all calls before ship'],
    ],
    load: () => import('./runs-rerun.ts'),
  },
  listCommand<RunView>({
    name: 'runs ls',
    summary: 'list runs, newest first',
    filters: FILTER_FLAGS,
    examples: [
      ['svc runs ls --status waiting', 'what waits'],
      ['svc runs ls --status failed --status cancelled', 'what went wrong; --status failed,cancelled is the same'],
      ['svc runs ls --trigger handler:report --status failed', 'what a handler started that failed'],
    ],
    path: '/runs',
    member: 'runs',
    columns: {
      run: 'run_id',
      status: (run, output) => `${paint(run.status, output)}${waitsFor(run, output)}`,
      workflow: 'workflow',
      created: 'created_at',
      took: tookOf,
      tags: ({ tags }) => tags.join(' '),
    },
  }),
];
