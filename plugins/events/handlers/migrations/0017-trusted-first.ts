import { migration } from '../../../../kernel/contracts/index.ts';

const statements = [
  'CREATE INDEX handlers_queue_turn ON handlers_queue (project_id, blocked, trusted, sort_at, event_seq, name)',
  'CREATE INDEX handlers_queue_share ON handlers_queue (project_id, name, trusted)',
];

/** Trusted deliveries get slots before untrusted ones, and those of each handler are counted apart. */
export const trustedFirst = migration('0017-trusted-first', statements, { additive: true });
