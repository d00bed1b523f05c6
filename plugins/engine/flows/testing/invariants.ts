import type { Database } from '../../../../kernel/contracts/index.ts';
import { findBroken, type Invariant } from '../../../../test/kit/index.ts';

const TERMINAL = `('succeeded', 'failed', 'cancelled')`;
const IN_PROGRESS = `('waiting', 'running', 'backoff')`;

/** Of a run `r` whose output is sealed by itself, without a flow. */
const NO_RECORD = `COALESCE(SUBSTR(r.output, 1, 1), '') <> X'52'`;

/** Invariants of every flow, as statements that find violations: `run_id`, `n` and `item`. */
const INVARIANTS: readonly Invariant[] = [
  {
    id: 'flows',
    says: 'a run that flows coordinate has its flow',
    finds: `SELECT r.run_id, -1 AS n, -1 AS item FROM runs_runs r LEFT JOIN flows_flows f ON f.run_id = r.run_id
      LEFT JOIN flows_finished d ON d.run_id = r.run_id
      WHERE r.coordinator = 'flows' AND f.run_id IS NULL AND d.run_id IS NULL AND ${NO_RECORD}`,
  },
  {
    id: 'flows',
    says: 'a flow in one row belongs to a run that is over, and has no other rows',
    finds: `SELECT d.run_id, -1 AS n, -1 AS item FROM flows_finished d JOIN runs_runs r ON r.run_id = d.run_id
      LEFT JOIN flows_flows f ON f.run_id = d.run_id LEFT JOIN flows_nodes x ON x.run_id = d.run_id
      LEFT JOIN flows_activities m ON m.run_id = d.run_id
      WHERE r.status NOT IN ${TERMINAL} OR f.run_id IS NOT NULL OR x.run_id IS NOT NULL OR m.run_id IS NOT NULL`,
  },
  {
    id: 'flows',
    says: 'a flow in the row of its run has no other rows',
    finds: `SELECT r.run_id, -1 AS n, -1 AS item FROM runs_runs r
      LEFT JOIN flows_finished d ON d.run_id = r.run_id LEFT JOIN flows_flows f ON f.run_id = r.run_id
      LEFT JOIN flows_nodes x ON x.run_id = r.run_id LEFT JOIN flows_activities m ON m.run_id = r.run_id
      WHERE r.coordinator = 'flows' AND NOT ${NO_RECORD} AND (d.run_id IS NOT NULL OR f.run_id IS NOT NULL
        OR x.run_id IS NOT NULL OR m.run_id IS NOT NULL)`,
  },
  {
    id: 'flows',
    says: 'an open flow has an open activity or steps left over, and one that is over has neither',
    finds: `SELECT r.run_id, -1 AS n, -1 AS item FROM runs_runs r JOIN flows_flows f ON f.run_id = r.run_id
      WHERE (r.status NOT IN ${TERMINAL} AND f.resume_at IS NULL AND NOT EXISTS (SELECT 1 FROM runs_activities a
        WHERE a.run_id = r.run_id AND a.state IN ('pending', 'claimed', 'parked')))
      OR (r.status IN ${TERMINAL} AND f.resume_at IS NOT NULL)`,
  },
  {
    id: 'flows',
    says: 'the flow counts the nodes that were decided, and those that failed',
    finds: `SELECT f.run_id, f.ended AS n, COUNT(x.n) AS item FROM flows_flows f
      LEFT JOIN flows_nodes x ON x.run_id = f.run_id AND x.item = -1 AND x.state IN ('succeeded', 'failed', 'skipped')
      GROUP BY f.run_id, f.ended, f.nodes HAVING COUNT(x.n) <> f.ended OR f.ended > f.nodes`,
  },
  {
    id: 'flows',
    says: 'a flow that has succeeded decided every node',
    finds: `SELECT f.run_id, f.ended AS n, f.nodes AS item FROM flows_flows f JOIN runs_runs r ON r.run_id = f.run_id
      WHERE r.status = 'succeeded' AND (f.ended <> f.nodes OR f.failed > 0)`,
  },
  {
    id: 'flows',
    says: 'a fan-out counts its items',
    finds: `SELECT x.run_id, x.n, x.ended AS item FROM flows_nodes x
      LEFT JOIN flows_nodes i ON i.run_id = x.run_id AND i.n = x.n AND i.item >= 0
      WHERE x.item = -1 AND x.total IS NOT NULL GROUP BY x.run_id, x.n, x.total, x.begun, x.ended, x.state
      HAVING COUNT(i.item) <> x.begun OR x.begun > x.total
      OR SUM(CASE WHEN i.state IN ('succeeded', 'failed') THEN 1 ELSE 0 END) <> x.ended
      OR (x.state = 'succeeded' AND x.ended <> x.total)`,
  },
  {
    id: 'flows',
    says: 'a node under way that has an activity has an open one, and an open activity belongs to a node under way',
    finds: `SELECT x.run_id, x.n, x.item FROM flows_nodes x JOIN runs_activities a ON a.activity_id = x.activity_id
      WHERE x.state IN ('running', 'backoff') AND a.state NOT IN ('pending', 'claimed', 'parked')
      UNION ALL SELECT m.run_id, m.n, m.item FROM flows_activities m
      JOIN runs_activities a ON a.activity_id = m.activity_id AND a.state IN ('pending', 'claimed', 'parked')
      LEFT JOIN flows_nodes x ON x.run_id = m.run_id AND x.n = m.n AND x.item = m.item
      WHERE x.state IS NULL OR x.state NOT IN ('running', 'backoff')
      OR (m.activity_id <> COALESCE(x.activity_id, '') AND m.activity_id <> COALESCE(x.timer_id, ''))`,
  },
  {
    id: 'flows',
    says: 'one result an attempt: no two activities carried out the same one',
    finds: `SELECT run_id, n, item FROM flows_activities WHERE role = 'work'
      GROUP BY run_id, n, item, attempt HAVING COUNT(*) > 1`,
  },
  {
    id: 'flows',
    says: 'nothing is under way in a run that is over',
    finds: `SELECT x.run_id, x.n, x.item FROM flows_nodes x JOIN runs_runs r ON r.run_id = x.run_id
      WHERE r.status IN ${TERMINAL} AND x.state IN ${IN_PROGRESS}`,
  },
];

/** Returns violations of the flows' invariants; empty when all hold. It is safe next to a running service. */
export const checkFlows = (database: Pick<Database, 'read'>): Promise<string[]> => findBroken(database, INVARIANTS);
