import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * `owner_id` is the member whose private view it is, or '' for a view of the project. `view_id` orders the list and stays when
 * the view is replaced. `filter` is the JSON of the filter as it was saved: durations such as `7d` count from each use.
 */
const TABLES = [
  `CREATE TABLE saved_views_views (
  project_id {id} NOT NULL,
  owner_id {id} NOT NULL,
  name {id} NOT NULL,
  org_id {id} NOT NULL,
  view_id {id} NOT NULL,
  created_at {ms} NOT NULL,
  updated_at {ms} NOT NULL,
  updated_by {name},
  filter {text} NOT NULL,
  PRIMARY KEY (project_id, owner_id, name)
){end}`,
  'CREATE INDEX saved_views_views_newest ON saved_views_views (project_id, owner_id, view_id)',
  'CREATE INDEX saved_views_views_owner ON saved_views_views (owner_id, org_id)',
];

export const viewTable = migration('0001-views', TABLES, { additive: true });
