import { migration } from '../../../../kernel/contracts/index.ts';

/** The durable call that a program had made last when it printed. Null where nobody told, as servers without it do not. */
export const logSites = migration('0019-log-sites', ['ALTER TABLE runs_logs ADD COLUMN site {text}'], {
  additive: true,
});
