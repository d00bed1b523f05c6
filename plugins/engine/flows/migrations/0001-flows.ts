import { migration } from '../../../../kernel/contracts/index.ts';

/** Runs that are flows: their plans, and what has come of each node. Written under the lock of the run's row alone. */
export const flowTables = migration('0001-flows', [
  // `header` is sealed: constants of the language and the expression of the output. `todo` holds steps that the last
  // transaction left over, as JSON, since `resume_at`; both are NULL when there are none.
  `CREATE TABLE flows_flows (
    run_id {id} NOT NULL PRIMARY KEY,
    org_id {id} NOT NULL,
    project_id {id} NOT NULL,
    language {id} NOT NULL,
    header {blob} NOT NULL,
    nodes {int} NOT NULL,
    ended {int} NOT NULL,
    failed {int} NOT NULL,
    stopped {flag} NOT NULL,
    error_code {id},
    error_message {text},
    todo {text},
    resume_at {ms}
  ){end}`,
  'CREATE INDEX flows_flows_resume ON flows_flows (resume_at)',
  // Sealed lists in parts: of_node -1 is the plan, any other the items of that node's fan-out. Never changed.
  `CREATE TABLE flows_lists (
    run_id {id} NOT NULL,
    of_node {int} NOT NULL,
    part {int} NOT NULL,
    body {blob} NOT NULL,
    PRIMARY KEY (run_id, of_node, part)
  ){end}`,
  // Made when something first touches a node; item -1 is the node itself. open_needs counts needs that are not decided.
  `CREATE TABLE flows_nodes (
    run_id {id} NOT NULL,
    n {int} NOT NULL,
    item {int} NOT NULL,
    state {word} NOT NULL,
    open_needs {int} NOT NULL,
    met_needs {int} NOT NULL,
    attempt {int} NOT NULL,
    activity_id {id},
    timer_id {id},
    total {int},
    begun {int} NOT NULL,
    ended {int} NOT NULL,
    failed {int} NOT NULL,
    outcome {text} NOT NULL,
    output {blob},
    error_code {id},
    error_message {text},
    started_at {ms},
    finished_at {ms},
    PRIMARY KEY (run_id, n, item)
  ){end}`,
  'CREATE INDEX flows_nodes_state ON flows_nodes (run_id, state, n)',
  // What each activity of a flow is for: the attempts of a node, their timers and the pauses between them.
  `CREATE TABLE flows_activities (
    activity_id {id} NOT NULL PRIMARY KEY,
    run_id {id} NOT NULL,
    n {int} NOT NULL,
    item {int} NOT NULL,
    role {word} NOT NULL,
    attempt {int} NOT NULL
  ){end}`,
  'CREATE INDEX flows_activities_run ON flows_activities (run_id, n, item)',
]);
