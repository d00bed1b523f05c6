import { migration } from '../../../../kernel/contracts/index.ts';

/** What a project says of its runs. A project without a row says nothing. */
export const settingsTable = migration('0036-run-settings', [
  `CREATE TABLE runs_settings (
    project_id {id} NOT NULL PRIMARY KEY,
    org_id {id} NOT NULL,
    timeout_ms {ms}
  ){end}`,
]);
