import { migration } from '../../../kernel/contracts/index.ts';

/** The durable call that a program had made last when it printed. */
export const logSites = migration('0019-log-sites', ['ALTER TABLE runs_logs ADD COLUMN site {text}']);
