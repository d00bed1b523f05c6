import { migration } from '../../../../kernel/contracts/index.ts';

const replaced = (index: string, definition: string): string[] => [`DROP INDEX ${index}`, `CREATE ${definition}`];
const onlySet = (index: string, table: string, columns: string, column: string, unique = ''): string[] =>
  replaced(index, `${unique}INDEX ${index} ON ${table} (${columns}) WHERE ${column} IS NOT NULL`);

/**
 * On SQLite an index holds only rows that are looked for by it: each further one would cost a run a page in the log at
 * every commit. MySQL knows no such indexes.
 */
export const narrowIndexes = migration('0017-narrow-indexes', {
  sqlite: [
    ...replaced(
      'runs_activities_claimable',
      "INDEX runs_activities_claimable ON runs_activities (lane, due, activity_id) WHERE state = 'pending'",
    ),
    ...replaced(
      'runs_activities_deadline',
      "INDEX runs_activities_deadline ON runs_activities (deadline) WHERE state = 'claimed'",
    ),
    ...onlySet('runs_activities_parent', 'runs_activities', 'parent', 'parent'),
    ...onlySet('runs_runs_key', 'runs_runs', 'project_id, key_digest', 'key_digest', 'UNIQUE '),
    ...onlySet('runs_runs_subject', 'runs_runs', 'project_id, subject_bytes, run_id', 'subject_bytes'),
    ...onlySet('runs_runs_starter', 'runs_runs', 'project_id, trigger_name, run_id', 'trigger_name'),
    ...onlySet('runs_runs_event', 'runs_runs', 'trigger_event', 'trigger_event'),
    ...onlySet('runs_runs_reruns', 'runs_runs', 'rerun_of', 'rerun_of'),
    ...onlySet('runs_runs_parent', 'runs_runs', 'parent', 'parent'),
    ...onlySet('runs_announcements_terminal', 'runs_announcements', 'run_id, terminal', 'terminal', 'UNIQUE '),
  ],
  mysql: [],
});
