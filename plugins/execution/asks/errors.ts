import { defineError } from '../../../kernel/contracts/index.ts';

export const askLimit = defineError({
  code: 'ask_limit',
  status: 429,
  title: 'The run has too many asks.',
  next: "Wait until some of the run's open asks are answered or expire; `svc explain` shows what the run is doing. After 100,000 asks, submit a new run.",
});
