import type { Database } from '../../../../kernel/contracts/index.ts';
import { findBroken, type Invariant } from '../../../../test/kit/index.ts';
import { MAX_GENERATIONS, MAX_IN_FLIGHT, MAX_UNTRUSTED } from '../domain/ceilings.ts';

const TERMINAL = `('succeeded', 'failed', 'cancelled')`;

/**
 * Where one server numbers a project's events, the ends of runs at other servers are handed over to it (ADR 9): it frees
 * the slot in the transaction that takes the end out of the outbox.
 */
const END_HANDED_OVER = `SELECT 1 FROM bus_outbox o WHERE o.project_id = h.project_id AND o.source = 'lifecycle'
  AND o.source_name = h.run_id AND o.withheld = 1 AND o.type <> 'run.started'`;

/** `open`: the untrusted handler runs of a project that may be open. */
const invariants = (open: number): readonly Invariant[] => [
  {
    id: 'I8',
    says: 'a delivery to a handler that says so has its run, and no other delivery has one',
    finds: `SELECT d.event_id AS one, d.name AS other FROM bus_deliveries d LEFT JOIN runs_runs r ON r.run_id = d.run_id
      WHERE d.reaction = 'handler' AND ((d.state = 'delivered' AND r.run_id IS NULL)
      OR (d.state <> 'delivered' AND d.run_id IS NOT NULL))`,
  },
  {
    id: 'I8',
    says: 'a run belongs to one delivery, unless it has a batch of events',
    finds: `SELECT d.run_id AS one, MIN(d.event_id) AS other FROM bus_deliveries d
      JOIN runs_runs r ON r.run_id = d.run_id WHERE d.reaction = 'handler' AND r.trigger_fields NOT LIKE '%"batch":%'
      GROUP BY d.run_id HAVING COUNT(*) > 1`,
  },
  {
    id: 'I8',
    says: 'what is queued is queued on both sides',
    finds: `SELECT d.event_id AS one, d.name AS other FROM bus_deliveries d
      LEFT JOIN handlers_queue q ON q.project_id = d.project_id AND q.event_id = d.event_id AND q.name = d.name
      WHERE d.reaction = 'handler' AND d.state = 'queued' AND q.event_id IS NULL
      UNION ALL SELECT q.event_id, q.name FROM handlers_queue q
      LEFT JOIN bus_deliveries d ON d.event_id = q.event_id AND d.reaction = 'handler' AND d.name = q.name
        AND d.state = 'queued' WHERE d.event_id IS NULL`,
  },
  {
    id: 'I12',
    says: 'a handler run is in flight exactly while it is queued, or something of it is queued or running',
    finds: `SELECT h.run_id AS one, h.name AS other FROM handlers_runs h JOIN runs_runs r ON r.run_id = h.run_id
      WHERE r.status NOT IN ${TERMINAL} AND COALESCE(h.waiting, 0) <>
        CASE WHEN r.status = 'waiting' AND NOT EXISTS (SELECT 1 FROM runs_activities a WHERE a.run_id = r.run_id
          AND a.state IN ('pending', 'claimed')) THEN 1 ELSE 0 END`,
  },
  {
    id: 'I12',
    says: 'they are counted as they are trusted',
    finds: `SELECT h.run_id AS one, h.name AS other FROM handlers_runs h JOIN runs_runs r ON r.run_id = h.run_id
      WHERE r.trusted + COALESCE(h.untrusted, 0) <> 1`,
  },
  {
    id: 'I12',
    says: 'a rerun of a handler run is counted while it has not ended',
    finds: `SELECT r.run_id AS one, r.trigger_name AS other FROM runs_runs r LEFT JOIN handlers_runs h ON h.run_id = r.run_id
      WHERE r.rerun_of IS NOT NULL AND r.trigger_name LIKE 'handler:%' AND r.status NOT IN ${TERMINAL} AND h.run_id IS NULL`,
  },
  {
    id: 'I12',
    says: 'a handler run is counted exactly while it has not ended, or its end has no number on the bus yet',
    finds: `SELECT h.run_id AS one, h.name AS other FROM handlers_runs h LEFT JOIN runs_runs r ON r.run_id = h.run_id
      WHERE r.run_id IS NULL OR (r.status IN ${TERMINAL} AND NOT EXISTS (${END_HANDED_OVER}))
      UNION ALL SELECT r.run_id, d.name FROM bus_deliveries d JOIN runs_runs r ON r.run_id = d.run_id
      LEFT JOIN handlers_runs h ON h.run_id = r.run_id
      WHERE d.reaction = 'handler' AND r.status NOT IN ${TERMINAL} AND h.run_id IS NULL`,
  },
  {
    id: 'I12',
    says: 'nothing is queued while there is a place, but for what the refiller is to start',
    finds: `SELECT q.project_id AS one, MIN(q.name) AS other FROM handlers_queue q
      WHERE q.blocked IS NULL AND NOT EXISTS (SELECT 1 FROM handlers_refills f WHERE f.project_id = q.project_id)
      AND (q.trusted = 1 OR (SELECT COUNT(*) FROM handlers_runs u WHERE u.project_id = q.project_id AND u.untrusted = 1
        AND u.waiting IS NULL) < ${MAX_UNTRUSTED}
        AND (SELECT COUNT(*) FROM handlers_runs u WHERE u.project_id = q.project_id AND u.untrusted = 1) < ${open})
      GROUP BY q.project_id
      HAVING (SELECT COUNT(*) FROM handlers_runs h WHERE h.project_id = q.project_id AND h.waiting IS NULL)
        < ${MAX_IN_FLIGHT}`,
  },
  {
    id: 'I12',
    says: 'no delivery waits for a place of its handler while there is one for it, but for what the refiller is to start',
    finds: `SELECT q.project_id AS one, MIN(q.name) AS other FROM handlers_queue q
      WHERE q.blocked = 1 AND NOT EXISTS (SELECT 1 FROM handlers_refills f WHERE f.project_id = q.project_id)
      GROUP BY q.project_id, q.admission
      HAVING (SELECT COUNT(*) FROM handlers_runs h WHERE h.project_id = q.project_id AND h.admission = q.admission
          AND h.waiting IS NULL)
        + (SELECT COUNT(*) FROM handlers_queue a WHERE a.project_id = q.project_id AND a.admission = q.admission
          AND a.blocked IS NULL)
        + (SELECT COUNT(*) FROM handlers_retries t WHERE t.project_id = q.project_id AND t.admission = q.admission
          AND t.waiting = 1 AND t.untrusted IS NULL)
        + CASE WHEN MAX(q.trusted) = 1 THEN 0 ELSE (SELECT COUNT(*) FROM handlers_retries t
          WHERE t.project_id = q.project_id AND t.admission = q.admission AND t.waiting = 1 AND t.untrusted = 1) END
        < MAX(q.max_runs)`,
  },
  {
    id: 'I12',
    says: 'what waits for a time waits at a gate that is looked at, and no gate is without deliveries',
    finds: `SELECT q.event_id AS one, q.name AS other FROM handlers_queue q
      LEFT JOIN handlers_gates g ON g.project_id = q.project_id AND g.gate = q.gate
      WHERE (q.gate IS NOT NULL AND g.gate IS NULL) OR (q.gate IS NULL) <> (COALESCE(q.blocked, 0) NOT IN (2, 3))
      UNION ALL SELECT g.gate, g.name FROM handlers_gates g LEFT JOIN handlers_queue q
        ON q.project_id = g.project_id AND q.gate = g.gate WHERE q.gate IS NULL`,
  },
  {
    id: 'I8',
    says: 'the later deliveries of a batch wait for its first one',
    finds: `SELECT m.event_id AS one, m.name AS other FROM handlers_queue m
      LEFT JOIN handlers_queue f ON f.project_id = m.project_id AND f.event_seq = m.batch AND f.name = m.name
        AND COALESCE(f.blocked, 0) <> 4
      WHERE m.blocked = 4 AND f.event_id IS NULL`,
  },
  {
    id: 'I12',
    says: `no handler run is of a generation above ${MAX_GENERATIONS}`,
    finds: `SELECT r.run_id AS one, d.name AS other FROM bus_deliveries d JOIN runs_runs r ON r.run_id = d.run_id
      WHERE d.reaction = 'handler' AND r.generation > ${MAX_GENERATIONS}`,
  },
  {
    id: 'I16',
    says: 'no handler run is trusted more than its event',
    finds: `SELECT r.run_id AS one, d.name AS other FROM bus_deliveries d JOIN runs_runs r ON r.run_id = d.run_id
      JOIN bus_events e ON e.event_id = d.event_id WHERE d.reaction = 'handler' AND r.trusted > e.trusted`,
  },
];

/**
 * Checks the guarantees of handlers where no run has been pruned; answers violations, empty when all hold. Each
 * statement is one snapshot.
 */
export const checkHandlerInvariants = (database: Pick<Database, 'read'>, open = 50): Promise<string[]> =>
  findBroken(database, invariants(open));
