import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * Replays of many events. `position`: the last delivery that was handled; events in order are `<number>/<handler>`, dead letters
 * their IDs. `before_seq`: the first event that is left out. `most`: the number of deliveries at which the replay ends.
 */
const statements = [
  `CREATE TABLE handlers_replays (
    project_id {id} NOT NULL,
    replay_id {id} NOT NULL,
    org_id {id} NOT NULL,
    state {word} NOT NULL,
    filter {text} NOT NULL,
    requested_by {name} NOT NULL,
    before_seq {int} NOT NULL,
    most {int} NOT NULL,
    position {name} NOT NULL,
    delivered {int} NOT NULL,
    declined {int} NOT NULL,
    refused {int} NOT NULL,
    created_at {ms} NOT NULL,
    updated_at {ms} NOT NULL,
    PRIMARY KEY (project_id, replay_id)
  ){end}`,
  'CREATE INDEX handlers_replays_state ON handlers_replays (state, replay_id)',
];

export const bulkReplays = migration('0015-bulk-replays', statements, { additive: true });
