import { type Api, type Command, listCommand } from '../../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';
import { describeStatus, formatDuration } from './describe.ts';
import { CHANGE_FLAGS } from './change-flags.ts';
import { FILTER_FLAGS } from './filter-flags.ts';
import { RUN } from './run-argument.ts';
import { VIEW_FLAG } from './view-flags.ts';

/** The index has ended runs, which cannot be cancelled or paused. */
const { output: _output, error: _error, step: _step, account: _account, ...OPEN_FILTERS } = FILTER_FLAGS;
/** Only paused runs can be resumed, so that the command need not say it. */
const { paused: _paused, ...RESUME_FILTERS } = OPEN_FILTERS;

/** Says what an incomplete index leaves out. */
function describeGap(search: Api.ListRuns200['search']): string | undefined {
  if (search === undefined || search.complete) return undefined;
  const { indexed_from, indexed_until } = search;
  const missing = [
    ...(indexed_from === undefined ? [] : [`ended runs created before ${indexed_from}`]),
    ...(indexed_until === undefined ? [] : [`runs that ended after ${indexed_until}`]),
  ];
  return `the index is not complete yet${missing.length === 0 ? '' : `: it lacks ${missing.join(' and ')}`}`;
}

/** Commands for several runs. */
export const runLists: readonly Command[] = [
  {
    name: 'runs diff',
    summary: 'compare two runs: their triggers, input, output, and steps by site',
    description: 'Lines that begin with - are from the first run, and lines that begin with + are from the second.',
    args: [
      { ...RUN, name: 'a' },
      { ...RUN, name: 'b', summary: 'the run to compare it with' },
    ],
    examples: [['svc runs diff run_01J… run_01K…', 'find out why the second one failed']],
    load: () => import('./diff.ts'),
  },
  {
    name: 'runs cancel',
    summary: 'cancel all runs that a filter selects, after a preview',
    description:
      'Shows the selected runs. On a terminal, it then asks for confirmation; elsewhere, it does nothing without --yes. Without --status it\n' +
      'selects all runs that have not ended. It does not change runs that end in the meantime. Exits with 1 if a run could not be\n' +
      'cancelled.',
    flags: {
      ...OPEN_FILTERS,
      reason: { type: 'string', value: '<text>', summary: 'reason to store with the runs' },
      ...CHANGE_FLAGS,
    },
    examples: [
      ["svc runs cancel --workflow etl.py --since 2h --reason 'wrong input'", 'shows the runs, then asks'],
      ['svc runs cancel --status queued --tag team:data --yes', 'in a script'],
    ],
    load: () => import('./runs-cancel.ts'),
  },
  {
    name: 'runs pause',
    summary: 'pause all runs that a filter selects, after a preview',
    description:
      'Shows the selected runs. On a terminal, it then asks for confirmation; elsewhere, it does nothing without --yes. Without --status it\n' +
      'selects all runs that have not ended. `svc pause --help` explains what a paused run does. Exits with 1 if a run could not\n' +
      'be paused.',
    flags: {
      ...OPEN_FILTERS,
      reason: { type: 'string', value: '<text>', summary: 'reason to show with the runs' },
      ...CHANGE_FLAGS,
    },
    examples: [["svc runs pause --tag team:data --reason 'database upgrade'", 'shows the runs, then asks']],
    load: async () => ({ run: (await import('./runs-pause.ts')).pauseAll }),
  },
  {
    name: 'runs resume',
    summary: 'resume all paused runs that a filter selects, after a preview',
    description:
      'Shows the selected runs. On a terminal, it then asks for confirmation; elsewhere, it does nothing without --yes. Exits\n' +
      'with 1 if a run could not be resumed.',
    flags: { ...RESUME_FILTERS, ...CHANGE_FLAGS },
    examples: [['svc runs resume --all --yes', 'every paused run of the project']],
    load: async () => ({ run: (await import('./runs-pause.ts')).resumeAll }),
  },
  {
    name: 'runs rerun',
    summary: 'rerun all runs that a filter selects, after a preview',
    description:
      'Without --status it selects failed runs. Shows the selected runs. On a terminal, it then asks for confirmation;\n' +
      'elsewhere, it does nothing without --yes. It skips runs that it has rerun before, so that you can repeat the command after an\n' +
      'interruption; with --again it reruns them too. Exits with 1 if a run could not be rerun.',
    flags: {
      ...FILTER_FLAGS,
      from: { type: 'string', value: '<site>', summary: 'keep the records before this site or node' },
      anew: { type: 'boolean', summary: 'run everything again: keep no results of pipelines and graphs' },
      again: { type: 'boolean', summary: 'also rerun runs that this command has already rerun' },
      ...CHANGE_FLAGS,
    },
    examples: [
      ['svc runs rerun --trigger handler:report --since 1d', 'failed runs of a handler'],
      ["svc runs rerun --workflow deploy.sh --from 'ship#0' --yes", 'keeps the results of all calls before ship'],
    ],
    load: () => import('./runs-rerun.ts'),
  },
  {
    name: 'runs export',
    summary: 'export all runs that match, newest first, as CSV or JSON lines',
    description:
      'Prints to standard output, one run per line, with secret values masked. In CSV, cells that a spreadsheet would read as a\n' +
      'formula begin with an apostrophe, and line breaks become spaces. If the connection is lost, the command shows how to\n' +
      'continue; with --before, there is no header.',
    flags: {
      ...VIEW_FLAG,
      ...FILTER_FLAGS,
      format: { type: 'string', choices: ['csv', 'jsonl'], summary: 'csv, or one JSON object per line (default)' },
      before: { type: 'string', value: '<run-id>', run: true, summary: 'only runs older than this one' },
    },
    examples: [
      ['svc runs export --format csv --since 7d > runs.csv', 'for a spreadsheet'],
      ['svc runs export --status failed > failed.jsonl', 'for a program'],
    ],
    load: () => import('./runs-export.ts'),
  },
  listCommand<RunView>({
    name: 'runs ls',
    summary: 'list runs, newest first',
    filters: { ...VIEW_FLAG, ...FILTER_FLAGS },
    examples: [
      ['svc runs ls --status waiting', 'the waiting runs'],
      ['svc runs ls --paused', 'the paused runs'],
      ['svc runs ls --status failed --status cancelled', 'the same as --status failed,cancelled'],
      ['svc runs ls --trigger handler:report --status failed', 'failed runs of a handler'],
      ['svc runs ls --view failed-deploys', 'the runs of a saved view'],
      ["svc runs ls --error 'connection refused' --step deploy", 'runs that failed with this error and had this step'],
    ],
    note: ({ search }) => describeGap(search as Api.ListRuns200['search']),
    path: '/runs',
    member: 'runs',
    columns: {
      run: 'run_id',
      status: (run, output) => describeStatus(run, output),
      workflow: 'workflow',
      created: 'created_at',
      took: formatDuration,
      tags: ({ tags }) => tags.join(' '),
    },
  }),
];
