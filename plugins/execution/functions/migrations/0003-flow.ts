import { migration } from '../../../../kernel/contracts/index.ts';

/** The group, throttle and priority of a workflow's runs, as JSON; null: none. An older server would start them without. */
export const flowColumn = migration('0003-flow', ['ALTER TABLE functions_functions ADD COLUMN flow {text}']);
