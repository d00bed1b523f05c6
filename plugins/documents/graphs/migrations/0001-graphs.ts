import { lockable, migration } from '../../../../kernel/contracts/index.ts';

/*
 * graphs_graphs: `version_number` is the latest version; `published_version` the one that its triggers run, NULL when it
 * is not published. `triggers` is JSON: what the published version has registered.
 * graphs_versions: never changed. `document` is sealed JSON under name, number and revision; `digest` is of its text;
 * `about` is JSON with what must be told without opening it: the credentials by name with their nodes, and the types that
 * it emits.
 */
export const graphTables = migration('0001-graphs', [
  `CREATE TABLE graphs_graphs (
    project_id {id} NOT NULL,
    name {id} NOT NULL,
    org_id {id} NOT NULL,
    graph_id {id} NOT NULL,
    version_number {int} NOT NULL,
    published_version {int},
    triggers {text} NOT NULL,
    title {text},
    nodes {int} NOT NULL,
    created_at {ms} NOT NULL,
    set_at {ms} NOT NULL,
    set_by {id},
    PRIMARY KEY (project_id, name)
  ){end}`,
  'CREATE UNIQUE INDEX graphs_graphs_newest ON graphs_graphs (project_id, graph_id)',
  `CREATE TABLE graphs_versions (
    project_id {id} NOT NULL,
    name {id} NOT NULL,
    version_number {int} NOT NULL,
    org_id {id} NOT NULL,
    revision {id} NOT NULL,
    digest {id} NOT NULL,
    document {blob} NOT NULL,
    about {text} NOT NULL,
    set_at {ms} NOT NULL,
    set_by {id},
    PRIMARY KEY (project_id, name, version_number)
  ){end}`,
  lockable('graphs_graphs'),
]);
