import { defineError } from '../../../kernel/contracts/index.ts';

export const runNotReplayable = defineError({
  code: 'run_not_replayable',
  status: 422,
  title: 'The run has no history that can be replayed.',
  next: 'Use a run whose workflow is a script. `svc check` without --replay checks documents of every kind.',
});
