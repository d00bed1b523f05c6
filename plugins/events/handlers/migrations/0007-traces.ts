import { migration } from '../../../../kernel/contracts/index.ts';

/** The span that the event of a delivery comes of. Null unless somebody traces. */
export const traces = migration('0007-traces', ['ALTER TABLE handlers_queue ADD COLUMN trace {text}'], {
  additive: true,
});
