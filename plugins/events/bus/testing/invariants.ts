import type { Database } from '../../../../kernel/contracts/index.ts';
import { findBroken, type Invariant } from '../../../../test/kit/index.ts';

/**
 * Does an event reach what was armed for its type? Both with a subject must have the same one, and what untrusted runs emit
 * reaches only what takes it.
 */
const reaches = (armed: string): string =>
  `e.project_id = ${armed}.project_id AND e.type = ${armed}.type AND (e.key_digest IS NULL
    OR ${armed}.subject_digest IS NULL OR e.key_digest = ${armed}.subject_digest)
    AND (e.trusted = 1 OR e.source <> 'emit' OR ${armed}.takes_untrusted = 1)`;

/** 1 for an event of the outbox at which something was armed, 0 for any other. */
const isSkipped = (armed: string): string =>
  `CASE WHEN INSTR(COALESCE(${armed}.skips, ''), e.event_id) > 0 OR (${armed}.skips LIKE '<%'
    AND e.event_id < SUBSTR(${armed}.skips, 2, LENGTH(e.event_id))) THEN 1 ELSE 0 END`;

const TERMINAL = `('succeeded', 'failed', 'cancelled')`;

/** Runs with another number of lifecycle events of these types, recorded or in the outbox, than one if `has_happened`, or none. */
const announcedOtherThan = (types: string, has_happened: string): string =>
  `SELECT r.project_id, r.run_id AS name, COUNT(e.seq) AS place FROM runs_runs r
   LEFT JOIN bus_events e ON e.project_id = r.project_id AND e.source = 'lifecycle' AND e.source_name = r.run_id
     AND e.type IN ${types}
   GROUP BY r.project_id, r.run_id, r.status, r.started_at
   HAVING COUNT(e.seq) + (SELECT COUNT(*) FROM bus_outbox o WHERE o.project_id = r.project_id
     AND o.source = 'lifecycle' AND o.source_name = r.run_id AND o.type IN ${types})
     <> CASE WHEN ${has_happened} THEN 1 ELSE 0 END`;

/** True as long as nothing was pruned. */
const INVARIANTS: readonly Invariant[] = [
  {
    id: 'I6',
    says: 'one event for each recorded emit of a run that succeeded',
    finds: `SELECT r.project_id, r.run_id AS name, COUNT(j.position) AS place FROM runs_runs r
      LEFT JOIN runs_journal j ON j.run_id = r.run_id AND j.kind = 'emit' AND j.exit_code = 0
      GROUP BY r.project_id, r.run_id, r.coordinator
      HAVING COUNT(j.position) > (SELECT COUNT(*) FROM bus_events e
        WHERE e.project_id = r.project_id AND e.source = 'emit' AND e.source_name = r.run_id)
      OR (r.coordinator IS NULL AND COUNT(j.position) < (SELECT COUNT(*) FROM bus_events e
        WHERE e.project_id = r.project_id AND e.source = 'emit' AND e.source_name = r.run_id))`,
  },
  {
    id: 'I7',
    says: 'the sequence of a project has no gap and ends at its head, which on SQLite need not follow',
    finds: `SELECT h.project_id, '' AS name, h.last_seq AS place FROM bus_heads h
      LEFT JOIN bus_events e ON e.project_id = h.project_id GROUP BY h.project_id, h.last_seq
      HAVING COUNT(e.seq) <> COALESCE(MAX(e.seq), 0) OR MIN(e.seq) <> 1 OR h.last_seq > COALESCE(MAX(e.seq), 0)`,
  },
  {
    id: 'I7',
    says: 'times never fall along the sequence',
    finds: `SELECT e.project_id, e.event_id AS name, e.seq AS place FROM bus_events e
      JOIN bus_events n ON n.project_id = e.project_id AND n.seq = e.seq + 1 WHERE n.recorded_at < e.recorded_at`,
  },
  {
    id: 'I7',
    says: 'no wait without a predicate has missed an event after the one that it was armed at',
    finds: `SELECT w.project_id, w.run_id AS name, e.seq AS place FROM bus_waits w JOIN bus_events e ON ${reaches('w')}
      WHERE w.predicate_digest IS NULL AND e.seq > w.armed_seq AND (w.event_seq IS NULL OR e.seq < w.event_seq)
      AND ${isSkipped('w')} = 0`,
  },
  {
    id: 'I7',
    says: 'no wait was fired by an event that it must not see',
    finds: `SELECT w.project_id, w.run_id AS name, w.event_seq AS place FROM bus_waits w
      LEFT JOIN bus_events e ON e.seq = w.event_seq AND e.event_id = w.event_id AND ${reaches('w')}
      WHERE (w.state = 'armed' AND w.event_seq IS NOT NULL)
      OR (w.state <> 'armed' AND (e.seq IS NULL OR w.event_seq <= w.armed_seq
        OR ${isSkipped('w')} = 1))`,
  },
  {
    id: 'I7',
    says: 'no cancel has missed an event after the one that it was armed at',
    finds: `SELECT c.project_id, c.run_id AS name, e.seq AS place FROM bus_cancels c JOIN bus_events e ON ${reaches('c')}
      WHERE e.seq > c.armed_seq AND (c.event_seq IS NULL OR e.seq < c.event_seq)
      AND ${isSkipped('c')} = 0
      AND NOT (e.source = 'lifecycle' AND e.source_name = c.run_id)`,
  },
  {
    id: 'I16',
    says: 'nothing that an untrusted run emitted has cancelled a trusted run',
    finds: `SELECT c.project_id, c.run_id AS name, e.seq AS place FROM bus_cancels c
      JOIN bus_events e ON e.event_id = c.event_id JOIN runs_runs r ON r.run_id = c.run_id
      WHERE e.source = 'emit' AND e.trusted = 0 AND r.trusted = 1`,
  },
  {
    id: 'I8',
    says: 'what is said to have been started is there',
    finds: `SELECT d.project_id, d.name, 0 AS place FROM bus_deliveries d LEFT JOIN runs_runs r ON r.run_id = d.run_id
      WHERE d.state = 'delivered' AND (d.run_id IS NULL OR r.run_id IS NULL OR r.project_id <> d.project_id)`,
  },
  {
    id: 'I8',
    says: 'no run is the delivery of two events',
    finds: `SELECT MIN(project_id) AS project_id, run_id AS name, COUNT(*) AS place FROM bus_deliveries
      WHERE state = 'delivered' GROUP BY run_id HAVING COUNT(*) > 1`,
  },
  {
    id: 'I9',
    says: 'an armed wait of the engine is armed or fired here, and what is armed here is armed there',
    finds: `SELECT w.project_id, w.run_id AS name, w.position AS place FROM runs_waits w
      LEFT JOIN bus_waits b ON b.run_id = w.run_id AND b.activity_id = w.activity_id AND b.position = w.position
      WHERE w.kind = 'wait-event' AND w.state = 'armed' AND (b.state IS NULL OR b.state NOT IN ('armed', 'fired'))
      UNION ALL SELECT b.project_id, b.run_id, b.position FROM bus_waits b
      LEFT JOIN runs_waits w ON w.run_id = b.run_id AND w.activity_id = b.activity_id AND w.position = b.position
      WHERE b.state = 'armed' AND (w.state IS NULL OR w.state <> 'armed')`,
  },
  {
    id: 'I9',
    says: 'a delivered wait has its record',
    finds: `SELECT b.project_id, b.run_id AS name, b.position AS place FROM bus_waits b
      LEFT JOIN runs_journal j ON j.run_id = b.run_id AND j.activity_id = b.activity_id AND j.position = b.position
      WHERE b.state = 'delivered' AND (j.position IS NULL OR j.kind <> 'wait-event')`,
  },
  {
    id: 'I13',
    says: 'the start of a run is on the bus or on its way there, once, and exactly for the runs that started',
    finds: announcedOtherThan(`('run.started')`, 'r.started_at IS NOT NULL'),
  },
  {
    id: 'I13',
    says: 'the end of a run is on the bus or on its way there, once, and exactly for the runs that ended',
    finds: announcedOtherThan(`('run.succeeded', 'run.failed', 'run.cancelled')`, `r.status IN ${TERMINAL}`),
  },
  {
    id: 'I13',
    says: 'the end of a run is announced with the status that the run has',
    finds: `SELECT r.project_id, r.run_id AS name, e.seq AS place FROM bus_events e
      JOIN runs_runs r ON r.run_id = e.source_name AND r.project_id = e.project_id
      WHERE e.source = 'lifecycle' AND ((e.type = 'run.succeeded' AND r.status <> 'succeeded')
        OR (e.type = 'run.failed' AND r.status <> 'failed') OR (e.type = 'run.cancelled' AND r.status <> 'cancelled'))`,
  },
  {
    id: 'I13',
    says: 'a cancel that was delivered has cancelled its run, one that is armed has an open run',
    finds: `SELECT c.project_id, c.run_id AS name, 0 AS place FROM bus_cancels c
      LEFT JOIN runs_runs r ON r.run_id = c.run_id
      WHERE (c.state = 'delivered' AND (r.status IS NULL OR r.status <> 'cancelled' OR r.cancelled_by IS NULL))
      OR (c.state = 'armed' AND (r.status IS NULL OR r.status IN ('succeeded', 'failed', 'cancelled')))`,
  },
];

/** Not on SQLite, where the last event says it. */
const HEAD: Invariant = {
  id: 'I7',
  says: 'the head of a project is not behind its events',
  finds: `SELECT h.project_id, '' AS name, h.last_seq AS place FROM bus_heads h
    JOIN bus_events e ON e.project_id = h.project_id AND e.seq > h.last_seq`,
};

/** Only true once the faults have stopped and the deliverers have had their time. */
const SETTLED: readonly Invariant[] = [
  {
    id: 'I17',
    says: 'nothing that was fired is still to be carried out',
    finds: `SELECT project_id, run_id AS name, event_seq AS place FROM bus_waits WHERE state = 'fired'
      UNION ALL SELECT project_id, run_id, event_seq FROM bus_cancels WHERE state = 'fired'`,
  },
  {
    id: 'I17',
    says: 'every event that was handed over has its number',
    finds: 'SELECT project_id, event_id AS name, 0 AS place FROM bus_outbox',
  },
];

/**
 * Checks the invariants of the bus as statements; answers what breaks them, empty when all hold. Safe beside running
 * servers, each statement being one snapshot. With `settled`, nothing may be on its way any more.
 */
export const checkBusInvariants = (
  database: Pick<Database, 'read'> & Partial<Pick<Database, 'sql'>>,
  { settled = false }: { settled?: boolean } = {},
): Promise<string[]> =>
  findBroken(database, [
    ...INVARIANTS,
    ...(database.sql?.family === 'sqlite' ? [] : [HEAD]),
    ...(settled ? SETTLED : []),
  ]);
