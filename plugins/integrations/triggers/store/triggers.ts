import { inList, insertRows, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import { type NamedRow, NamedTable, type ProjectScope } from '../../../platform/resources/contract.ts';
import { TRIGGER } from '../domain/names.ts';
import { TriggerErrors } from '../errors.ts';

export const MAX_TRIGGERS = 200;

export interface TriggerRow extends NamedRow {
  trigger_id: string;
  connector: string;
  /** The name of the connector's trigger. */
  source: string;
  credential: string | null;
  every_ms: number;
  from_beginning: number;
  /** Whether a poll has read the list to its end, so that new items are new. */
  started: number;
  epoch: number;
  next_poll: number | null;
  lease_until: number;
  paused_at: number | null;
  paused_by: string | null;
  created_at: number;
  set_at: number;
  set_by: string | null;
  polled_at: number | null;
  items: number | null;
  events: number | null;
  failures: number;
  error_code: string | null;
  error: string | null;
  warning: string | null;
  /** Sealed JSON: `with` and `input`. */
  config: Buffer;
  /** The cursor as sealed JSON. */
  position: Buffer | null;
}

export const triggers = new NamedTable<TriggerRow>({
  ...TRIGGER,
  table: 'triggers_triggers',
  id: 'trigger_id',
  preserved: ['created_at'],
  replaced: [
    ...(['connector', 'source', 'credential', 'every_ms', 'from_beginning', 'started', 'epoch'] as const),
    ...(['next_poll', 'lease_until', 'paused_at', 'paused_by', 'set_at', 'set_by', 'polled_at', 'items'] as const),
    ...(['events', 'failures', 'error_code', 'error', 'warning', 'config', 'position'] as const),
  ],
  max: { count: MAX_TRIGGERS, full: TriggerErrors.triggersFull },
});

/** Returns triggers that are due and that nobody polls, except those of these projects. */
export function listDue(
  on: Pick<Queries, 'read'>,
  now: number,
  { without, limit }: { without: readonly string[]; limit: number },
): Promise<TriggerRow[]> {
  const { placeholders, params } = without.length > 0 ? inList(without) : { placeholders: '', params: [] };
  return on.read<TriggerRow>(
    `SELECT ${triggers.columns} FROM triggers_triggers
     WHERE next_poll <= ? AND lease_until <= ? ${without.length > 0 ? `AND project_id NOT IN ${placeholders}` : ''}
     ORDER BY next_poll, project_id, name LIMIT ${Math.trunc(limit)}`,
    [now, now, ...params],
  );
}

/** Returns when the next trigger is due that nobody polls. */
export async function readNextPoll(on: Pick<Queries, 'read'>, now: number): Promise<number | undefined> {
  const [row] = await on.read<{ next_poll: number | null }>(
    'SELECT MIN(next_poll) AS next_poll FROM triggers_triggers WHERE next_poll > ?',
    [now],
  );
  return row?.next_poll ?? undefined;
}

type Claim = Pick<TriggerRow, 'project_id' | 'org_id' | 'name' | 'epoch'>;

const CLAIMED = 'project_id = ? AND org_id = ? AND name = ? AND epoch = ?';
const claimOf = ({ project_id, org_id, name, epoch }: Claim) => [project_id, org_id, name, epoch];

/** Claims a due trigger for one poll. Returns true for the one server that gets it. */
export async function claimPoll(on: Queries, row: TriggerRow, now: number, lease_until: number): Promise<boolean> {
  const updated = await on.write(
    `UPDATE triggers_triggers SET epoch = epoch + 1, lease_until = ?
     WHERE ${CLAIMED} AND next_poll <= ? AND lease_until <= ?`,
    [lease_until, ...claimOf(row), now, now],
  );
  return updated === 1;
}

/** Gives a claimed trigger back without a result, so that another server polls at once. */
export const releasePoll = (on: Queries, claim: Claim): Promise<number> =>
  on.write(`UPDATE triggers_triggers SET lease_until = 0 WHERE ${CLAIMED}`, claimOf(claim));

/** Locks a claimed trigger until the transaction ends; false if it was changed, removed or claimed again. */
export async function lockClaim(tx: Transaction, claim: Claim): Promise<boolean> {
  const rows = await tx.lock({
    ...{ table: 'triggers_triggers', key: ['project_id', 'name'], columns: 'project_id, name' },
    ...{ where: CLAIMED, params: claimOf(claim) },
  });
  return rows.length === 1;
}

export type PollOutcome = Pick<
  TriggerRow,
  'next_poll' | 'polled_at' | 'items' | 'events' | 'started' | 'warning' | 'position'
>;

/** Records a successful poll of a locked trigger. */
export async function recordPoll(tx: Transaction, claim: Claim, poll: PollOutcome): Promise<void> {
  await tx.write(
    `UPDATE triggers_triggers SET next_poll = ?, polled_at = ?, items = ?, events = ?, started = ?, warning = ?,
       position = ?, lease_until = 0, failures = 0, error_code = NULL, error = NULL WHERE ${CLAIMED}`,
    [
      ...[poll.next_poll, poll.polled_at, poll.items, poll.events, poll.started, poll.warning, poll.position],
      ...claimOf(claim),
    ],
  );
}

/** Records a failed poll. The position stays. */
export const recordFailure = (
  on: Queries,
  claim: Claim,
  failure: Pick<TriggerRow, 'next_poll' | 'polled_at' | 'failures' | 'error_code' | 'error'>,
): Promise<number> =>
  on.write(
    `UPDATE triggers_triggers SET next_poll = ?, polled_at = ?, failures = ?, error_code = ?, error = ?, lease_until = 0
     WHERE ${CLAIMED}`,
    [failure.next_poll, failure.polled_at, failure.failures, failure.error_code, failure.error, ...claimOf(claim)],
  );

const SEEN_COLUMNS = ['project_id', 'trigger_id', 'digest', 'seen_at'] as const;

type Seen = Pick<TriggerRow, 'project_id' | 'trigger_id'>;

/** Returns which of these items are not new. */
export async function findSeen(
  on: Pick<Queries, 'read'>,
  { project_id, trigger_id }: Seen,
  digests: readonly string[],
) {
  const { placeholders, params } = inList(digests);
  const rows = await on.read<{ digest: string }>(
    `SELECT digest FROM triggers_seen WHERE project_id = ? AND trigger_id = ? AND digest IN ${placeholders}`,
    [project_id, trigger_id, ...params],
  );
  return new Set(rows.map(({ digest }) => digest));
}

export const insertSeen = (on: Queries, { project_id, trigger_id }: Seen, digests: readonly string[], now: number) =>
  insertRows(
    on,
    'INSERT INTO triggers_seen',
    SEEN_COLUMNS,
    digests.map((digest) => [project_id, trigger_id, digest, now]),
  );

/** Notes that items are still in the list, if that was last noted before `since`. */
export async function refreshSeen(
  on: Queries,
  { project_id, trigger_id }: Seen,
  digests: readonly string[],
  { now, since }: { now: number; since: number },
): Promise<void> {
  const { placeholders, params } = inList(digests);
  await on.write(
    `UPDATE triggers_seen SET seen_at = ?
     WHERE project_id = ? AND trigger_id = ? AND seen_at < ? AND digest IN ${placeholders}`,
    [now, project_id, trigger_id, since, ...params],
  );
}

/** Returns the items beyond the newest `most`, oldest first, at most `limit`. */
export async function listForgotten(
  on: Pick<Queries, 'read'>,
  { project_id, trigger_id }: Seen,
  most: number,
  limit: number,
): Promise<string[]> {
  const [count] = await on.read<{ n: number }>(
    'SELECT COUNT(*) AS n FROM triggers_seen WHERE project_id = ? AND trigger_id = ?',
    [project_id, trigger_id],
  );
  const excess = Math.min(Number(count!.n) - most, limit);
  if (excess <= 0) return [];
  const rows = await on.read<{ digest: string }>(
    `SELECT digest FROM triggers_seen WHERE project_id = ? AND trigger_id = ?
     ORDER BY seen_at, digest LIMIT ${Math.trunc(excess)}`,
    [project_id, trigger_id],
  );
  return rows.map(({ digest }) => digest);
}

export async function removeSeen(on: Queries, { project_id, trigger_id }: Seen, digests: readonly string[]) {
  const { placeholders, params } = inList(digests);
  await on.write(`DELETE FROM triggers_seen WHERE project_id = ? AND trigger_id = ? AND digest IN ${placeholders}`, [
    project_id,
    trigger_id,
    ...params,
  ]);
}

/** Forgets all items of a trigger that is removed or reads another list. */
export const removeAllSeen = (on: Queries, { project_id, trigger_id }: Seen): Promise<number> =>
  on.write('DELETE FROM triggers_seen WHERE project_id = ? AND trigger_id = ?', [project_id, trigger_id]);

/** Returns the names of triggers that use a credential, newest first. */
export function listUsing(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  credential: string,
  limit: number,
): Promise<Pick<TriggerRow, 'name' | 'connector' | 'source'>[]> {
  return on.read(
    `SELECT name, connector, source FROM triggers_triggers WHERE project_id = ? AND org_id = ? AND credential = ?
     ORDER BY trigger_id DESC LIMIT ${Math.trunc(limit)}`,
    [project_id, org_id, credential],
  );
}

/** Returns the triggers that have failed `least` times in a row, newest first. */
export function listFailing(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  least: number,
  limit: number,
): Promise<Pick<TriggerRow, 'name' | 'failures' | 'error'>[]> {
  return on.read(
    `SELECT name, failures, error FROM triggers_triggers
     WHERE project_id = ? AND org_id = ? AND failures >= ? AND next_poll IS NOT NULL
     ORDER BY trigger_id DESC LIMIT ${Math.trunc(limit)}`,
    [project_id, org_id, least],
  );
}
