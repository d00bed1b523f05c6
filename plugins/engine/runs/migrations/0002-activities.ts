import { migration } from '../../../../kernel/contracts/index.ts';

/** Activities, their journals and their waits. */
export const activityTables = migration('0002-activities', [
  // A lane is what one kind of agent can take: an org's activities with the same requirements.
  `CREATE TABLE runs_lanes (
    lane {lane} NOT NULL PRIMARY KEY,
    org_id {id} NOT NULL,
    requires {text} NOT NULL
  ){end}`,
  'CREATE INDEX runs_lanes_org ON runs_lanes (org_id)',
  // I2: every write of an agent locks this row and checks `state` and `epoch`.
  `CREATE TABLE runs_activities (
    activity_id {id} NOT NULL PRIMARY KEY,
    run_id {id} NOT NULL,
    org_id {id} NOT NULL,
    project_id {id} NOT NULL,
    name {name} NOT NULL,
    executor {id} NOT NULL,
    spec {text} NOT NULL,
    lane {lane} NOT NULL,
    state {word} NOT NULL,
    epoch {int} NOT NULL,
    passes {int} NOT NULL,
    agent_id {id},
    due {ms} NOT NULL,
    deadline {ms},
    created_at {ms} NOT NULL,
    finished_at {ms},
    output {blob},
    error_code {id},
    error_message {text},
    exit_code {int}
  ){end}`,
  'CREATE INDEX runs_activities_run ON runs_activities (run_id, state)',
  'CREATE INDEX runs_activities_claimable ON runs_activities (state, lane, due, activity_id)',
  'CREATE INDEX runs_activities_deadline ON runs_activities (state, deadline)',
  // I1 and I4: one record a position, and one a site; site is keyOf(kind, name). Never updated.
  `CREATE TABLE runs_journal (
    run_id {id} NOT NULL,
    activity_id {id} NOT NULL,
    position {int} NOT NULL,
    kind {word} NOT NULL,
    name {text} NOT NULL,
    site {id} NOT NULL,
    ordinal {int} NOT NULL,
    digest {id} NOT NULL,
    label {text},
    exit_code {int} NOT NULL,
    output {blob} NOT NULL,
    message {blob},
    epoch {int} NOT NULL,
    started_at {ms} NOT NULL,
    recorded_at {ms} NOT NULL,
    PRIMARY KEY (run_id, activity_id, position)
  ){end}`,
  'CREATE UNIQUE INDEX runs_journal_site ON runs_journal (run_id, activity_id, site, ordinal)',
  // I9: one wait a position, and its state leaves 'armed' once. topic is keyOf('signal', queue) or ''.
  `CREATE TABLE runs_waits (
    run_id {id} NOT NULL,
    activity_id {id} NOT NULL,
    position {int} NOT NULL,
    org_id {id} NOT NULL,
    project_id {id} NOT NULL,
    kind {word} NOT NULL,
    substate {word} NOT NULL,
    name {text} NOT NULL,
    topic {id} NOT NULL,
    ordinal {int} NOT NULL,
    digest {id} NOT NULL,
    label {text},
    args {text} NOT NULL,
    state {word} NOT NULL,
    seq {int} NOT NULL,
    epoch {int} NOT NULL,
    started_at {ms} NOT NULL,
    armed_at {ms} NOT NULL,
    deadline {ms},
    ended_at {ms},
    PRIMARY KEY (run_id, activity_id, position)
  ){end}`,
  'CREATE INDEX runs_waits_topic ON runs_waits (run_id, state, topic, seq)',
  'CREATE INDEX runs_waits_deadline ON runs_waits (state, deadline)',
  // I10: seq is taken from the run's row under its lock, so that order is commit order.
  `CREATE TABLE runs_signals (
    run_id {id} NOT NULL,
    seq {int} NOT NULL,
    signal_id {id} NOT NULL,
    name {text} NOT NULL,
    topic {id} NOT NULL,
    payload {blob} NOT NULL,
    state {word} NOT NULL,
    sent_at {ms} NOT NULL,
    taken_at {ms},
    taken_activity {id},
    taken_position {int},
    PRIMARY KEY (run_id, seq)
  ){end}`,
  'CREATE UNIQUE INDEX runs_signals_id ON runs_signals (run_id, signal_id)',
  'CREATE UNIQUE INDEX runs_signals_taken ON runs_signals (run_id, taken_activity, taken_position)',
  'CREATE INDEX runs_signals_queue ON runs_signals (run_id, topic, state, seq)',
]);
