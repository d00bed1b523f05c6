import { migration } from '../../../../kernel/contracts/index.ts';

/** The span that started a run: `traceparent`, and `tracestate` after a space. Null unless somebody traces. */
export const traceColumns = migration('0026-traces', ['ALTER TABLE runs_runs ADD COLUMN trace {text}'], {
  additive: true,
});
