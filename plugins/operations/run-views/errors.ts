import { defineError } from '../../../kernel/contracts/index.ts';

export const runNotReplayable = defineError({
  code: 'run_not_replayable',
  status: 422,
  title: 'The run has no history that can be replayed.',
  next: 'Use a run whose workflow is a script. `svc check` without --replay checks documents of every kind.',
});

export const runSearchOff = defineError({
  code: 'run_search_off',
  status: 409,
  title: 'This server has no index of runs, so it cannot search in them.',
  next: 'Use the other filters, or ask an operator to remove SVC_RUN_SEARCH=off.',
});
