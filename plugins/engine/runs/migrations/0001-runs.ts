import { migration } from '../../../../kernel/contracts/index.ts';

/** Runs, what they were submitted with and what was announced of them. */
export const runsTables = migration('0001-runs', [
  `CREATE TABLE runs_runs (
    run_id {id} NOT NULL PRIMARY KEY,
    org_id {id} NOT NULL,
    project_id {id} NOT NULL,
    org {name} NOT NULL,
    project {name} NOT NULL,
    kind {word} NOT NULL,
    workflow {name} NOT NULL,
    status {word} NOT NULL,
    subject {text},
    tags {text} NOT NULL,
    trigger_fields {text} NOT NULL,
    envelope {text} NOT NULL,
    env {text} NOT NULL,
    filename {text},
    interpreter {text},
    requires {text} NOT NULL,
    source_digest {id} NOT NULL,
    trusted {flag} NOT NULL,
    generation {int} NOT NULL,
    parent {id},
    rerun_of {id},
    submitted_by {id},
    key_digest {id},
    next_seq {int} NOT NULL,
    created_at {ms} NOT NULL,
    started_at {ms},
    finished_at {ms},
    output {blob},
    error_code {id},
    error_message {text},
    cancel_reason {text}
  ){end}`,
  // I5: one run per key of a project. Runs without a key are all distinct, because NULLs are.
  'CREATE UNIQUE INDEX runs_runs_key ON runs_runs (project_id, key_digest)',
  'CREATE INDEX runs_runs_newest ON runs_runs (project_id, run_id)',
  'CREATE INDEX runs_runs_status ON runs_runs (project_id, status, run_id)',
  'CREATE INDEX runs_runs_parent ON runs_runs (parent)',
  // `tag_key` is keyOf('tag', tag) of store/keys.ts; the texts are in runs_runs.tags.
  `CREATE TABLE runs_tags (
    run_id {id} NOT NULL,
    tag_key {id} NOT NULL,
    project_id {id} NOT NULL,
    PRIMARY KEY (run_id, tag_key)
  ){end}`,
  'CREATE INDEX runs_tags_newest ON runs_tags (project_id, tag_key, run_id)',
  `CREATE TABLE runs_sources (
    project_id {id} NOT NULL,
    digest {id} NOT NULL,
    org_id {id} NOT NULL,
    source {text} NOT NULL,
    created_at {ms} NOT NULL,
    PRIMARY KEY (project_id, digest)
  ){end}`,
  // I13: a type once per run, and of the terminal types (where `terminal` is 1 and not NULL) one at all.
  `CREATE TABLE runs_announcements (
    run_id {id} NOT NULL,
    type {word} NOT NULL,
    terminal {flag},
    org_id {id} NOT NULL,
    project_id {id} NOT NULL,
    announced_at {ms} NOT NULL,
    PRIMARY KEY (run_id, type)
  ){end}`,
  'CREATE UNIQUE INDEX runs_announcements_terminal ON runs_announcements (run_id, terminal)',
  // Cells of `svc state`: run_id is '' for those of the whole project. entity and cell compare by bytes.
  `CREATE TABLE runs_cells (
    project_id {id} NOT NULL,
    run_id {id} NOT NULL,
    entity {bytes} NOT NULL,
    cell {bytes} NOT NULL,
    org_id {id} NOT NULL,
    value {blob} NOT NULL,
    trusted {flag} NOT NULL,
    written_by {id},
    written_at {ms} NOT NULL,
    PRIMARY KEY (project_id, run_id, entity, cell)
  ){end}`,
]);
