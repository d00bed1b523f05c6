import { chunks, inList, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { LeaseOwner, LeaseRequest, LeaseScope, LeaseThrottle } from '../contract.ts';
import { MAX_UNTRUSTED_GROUPS } from '../domain/group.ts';
import { byQueuePosition, limitOf, MAX_HOLDERS, queuePosition } from '../domain/queue-order.ts';
import { lockLimit } from '../errors.ts';
import { type Floor, readFloor } from './floors.ts';

export type TicketState = 'waiting' | 'held' | 'shared' | 'released' | 'cancelled';

/** A locked row of a group. */
export interface LockedGroup extends LeaseScope {
  group_key: string;
  name: string;
  untrusted: number | null;
  fence: number;
  last_ticket: number;
  /** Tickets below this one are not granted any more, except those of the run that replaced the others. */
  replaced_below: number | null;
  replaced_by: string | null;
  /** Holders with a ticket below this one are to be cancelled. */
  replaced_holders_below: number | null;
  /** 1 once a ticket allowed other holders beside it. */
  limited: number | null;
  /** 1 once a ticket had a priority. */
  prioritized: number | null;
  /** 1 once a ticket had a throttle. */
  throttled: number | null;
  /** When the throttle lets the first waiter start, if nothing else keeps it. */
  next_at: number | null;
}

export interface Ticket extends LeaseScope {
  group_key: string;
  ticket: number;
  run_id: string;
  owner_kind: string;
  owner_id: string;
  state: TicketState;
  fence: number | null;
  asked_at: number;
  granted_at: number | null;
  to_tell: number | null;
  /** The number of a holder among the holders of its group; null for all others. */
  held: number | null;
  /** With how many holders it shares its group, itself included; null: with none. */
  max_holders: number | null;
  /** Orders the queue instead of the ticket. */
  queue_position: number | null;
  throttle_limit: number | null;
  throttle_ms: number | null;
}

export const TICKET_COLUMNS = [
  ...['org_id', 'project_id', 'group_key', 'ticket', 'run_id', 'owner_kind', 'owner_id', 'state', 'fence', 'asked_at'],
  ...['granted_at', 'to_tell', 'held', 'max_holders', 'queue_position', 'throttle_limit', 'throttle_ms'],
] as const;
const COLUMNS = TICKET_COLUMNS.join(', ');
export const OPEN_CONDITION = `state IN ('waiting', 'held', 'shared')`;

interface NewGroup {
  name: string;
  trusted: boolean;
}

/**
 * Locks a group, which always precedes any change of its tickets. Returns undefined if there is none; a group is
 * removed only while nobody holds or waits for it.
 */
export async function lockGroup(
  tx: Transaction,
  { project_id }: Pick<LeaseScope, 'project_id'>,
  group_key: string,
): Promise<LockedGroup | undefined> {
  const [group] = await tx.lock<LockedGroup>({
    table: 'locks_groups',
    key: ['project_id', 'group_key'],
    columns:
      'org_id, project_id, group_key, name, untrusted, fence, last_ticket, replaced_below, replaced_by, replaced_holders_below, limited, prioritized, throttled, next_at',
    where: 'project_id = ? AND group_key = ?',
    params: [project_id, group_key],
  });
  return group;
}

/** Locks a group, and creates it if there is none. Throws `lock_limit`. */
export async function lockOrCreateGroup(
  tx: Transaction,
  scope: LeaseScope,
  group_key: string,
  new_group: NewGroup,
): Promise<LockedGroup> {
  const existing = await lockGroup(tx, scope, group_key);
  if (existing) return existing;
  if (!new_group.trusted) await assertBelowLimit(tx, scope);
  await insertGroup(tx, scope, group_key, new_group);
  const group = (await lockGroup(tx, scope, group_key))!;
  // Read only now, because until the row is locked others may create the group and remove it again.
  return group.last_ticket === 0 ? raiseToFloor(tx, group, await readFloor(tx, scope)) : group;
}

/** Counts no further than the limit. Runs that create groups at the same moment may each exceed it by one. */
async function assertBelowLimit(tx: Transaction, { project_id }: LeaseScope): Promise<void> {
  const [row] = await tx.read<{ n: number }>(
    `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM locks_groups WHERE project_id = ? AND untrusted = 1
     LIMIT ${MAX_UNTRUSTED_GROUPS}) counted`,
    [project_id],
  );
  if (Number(row!.n) < MAX_UNTRUSTED_GROUPS) return;
  throw lockLimit(
    `the untrusted runs of the project hold or wait for ${MAX_UNTRUSTED_GROUPS} locks, which is the limit`,
  );
}

/**
 * An upsert instead of INSERT IGNORE, which would take a weaker lock that cannot be upgraded if another transaction
 * was first.
 */
const insertGroup = (tx: Transaction, scope: LeaseScope, group_key: string, new_group: NewGroup): Promise<number> =>
  tx.write(
    `INSERT INTO locks_groups (project_id, group_key, org_id, name, untrusted, fence, last_ticket)
     VALUES (?, ?, ?, ?, ?, 0, 0) ${tx.sql.upsert(['project_id', 'group_key'], ['name'])}`,
    [scope.project_id, group_key, scope.org_id, new_group.name, new_group.trusted ? null : 1],
  );

/** A group of this name may have been removed, and somebody may still have its last fence. */
async function raiseToFloor(tx: Transaction, group: LockedGroup, floor: Floor | undefined): Promise<LockedGroup> {
  if (floor === undefined) return group;
  const { fence, last_ticket } = floor;
  await writeOne(tx, 'UPDATE locks_groups SET fence = ?, last_ticket = ? WHERE project_id = ? AND group_key = ?', [
    fence,
    last_ticket,
    group.project_id,
    group.group_key,
  ]);
  skipGroupGuard(tx, group);
  return { ...group, fence, last_ticket };
}

/** The locked group got another number in this transaction, so its update needs no further guard. */
export const skipGroupGuard = (tx: Transaction, { project_id, group_key }: LockedGroup): void =>
  tx.skipConflictGuard('locks_groups', [[project_id, group_key]]);

/** Returns the ticket of an owner in any state. */
export async function readTicket(on: Pick<Transaction, 'read'>, owner: LeaseOwner): Promise<Ticket | undefined> {
  const [ticket] = await on.read<Ticket>(
    `SELECT ${COLUMNS} FROM locks_tickets WHERE run_id = ? AND owner_kind = ? AND owner_id = ?`,
    [owner.run_id, owner.kind, owner.id],
  );
  return ticket;
}

/** Returns what runs hold or wait for, in the order in which groups are locked. */
export async function listOpenTickets(on: Pick<Transaction, 'read'>, run_ids: readonly string[]): Promise<Ticket[]> {
  const tickets: Ticket[] = [];
  for (const ids of chunks(run_ids)) {
    const { placeholders, params } = inList(ids);
    tickets.push(
      ...(await on.read<Ticket>(
        `SELECT ${COLUMNS} FROM locks_tickets WHERE run_id IN ${placeholders} AND ${OPEN_CONDITION}`,
        params,
      )),
    );
  }
  const groupPath = ({ project_id, group_key }: Ticket) => `${project_id} ${group_key}`;
  return tickets.sort((a, b) =>
    groupPath(a) === groupPath(b) ? a.ticket - b.ticket : groupPath(a) < groupPath(b) ? -1 : 1,
  );
}

/** Returns the holders of a group. The first has the number 1. */
export function readHolders(
  on: Pick<Transaction, 'read'>,
  group: { project_id: string; group_key: string },
  limit = MAX_HOLDERS,
): Promise<Ticket[]> {
  return on.read<Ticket>(
    `SELECT ${COLUMNS} FROM locks_tickets WHERE project_id = ? AND group_key = ? AND held >= 1
     ORDER BY held LIMIT ${Math.trunc(limit)}`,
    [group.project_id, group.group_key],
  );
}

/** Returns the lowest limit of a group's holders, and how many there are. */
export async function readLimit(
  on: Pick<Transaction, 'read'>,
  group: { project_id: string; group_key: string },
): Promise<{ limit: number; holder_count: number }> {
  const [row] = await on.read<{ most: number | null; n: number }>(
    `SELECT MIN(COALESCE(max_holders, 1)) AS most, COUNT(*) AS n FROM locks_tickets
     WHERE project_id = ? AND group_key = ? AND held >= 1`,
    [group.project_id, group.group_key],
  );
  return { limit: Number(row!.most ?? 1), holder_count: Number(row!.n) };
}

/** Returns the waiting tickets of a group in the order of grants, from a ticket on. */
export async function listQueue(
  on: Pick<Transaction, 'read'>,
  group: { project_id: string; group_key: string; prioritized: number | null },
  limit: number,
  from = 0,
): Promise<Ticket[]> {
  if (group.prioritized === null) return listWaiting(on, group, limit, { from });
  // Tickets without a position are in order already, and an index sorts the others.
  const queries = [
    ['queue_position IS NULL', 'ticket'],
    ['queue_position IS NOT NULL', 'queue_position, ticket'],
  ];
  const waiting: Ticket[] = [];
  for (const [condition, order] of queries)
    waiting.push(
      ...(await on.read<Ticket>(
        `SELECT ${COLUMNS} FROM locks_tickets WHERE project_id = ? AND group_key = ? AND state = 'waiting'
         AND ticket >= ? AND ${condition} ORDER BY ${order} LIMIT ${Math.trunc(limit)}`,
        [group.project_id, group.group_key, from],
      )),
    );
  return waiting.sort(byQueuePosition).slice(0, limit);
}

/** Returns the waiting tickets of a group in order of arrival, within a range of numbers. */
export function listWaiting(
  on: Pick<Transaction, 'read'>,
  group: { project_id: string; group_key: string },
  limit: number,
  { from = 0, before = Number.MAX_SAFE_INTEGER }: { from?: number; before?: number } = {},
): Promise<Ticket[]> {
  return on.read<Ticket>(
    `SELECT ${COLUMNS} FROM locks_tickets WHERE project_id = ? AND group_key = ? AND state = 'waiting'
     AND ticket >= ? AND ticket < ? ORDER BY ticket LIMIT ${Math.trunc(limit)}`,
    [group.project_id, group.group_key, from, before],
  );
}

/** Stops granting earlier tickets of other runs. Holders below `holders_below` are replaced as well. The group is locked. */
export async function replaceBefore(
  tx: Transaction,
  group: LockedGroup,
  ticket: Ticket,
  holders_below: number,
): Promise<void> {
  const { project_id, group_key } = group;
  const replaced_holders_below = Math.max(group.replaced_holders_below ?? 0, holders_below) || null;
  Object.assign(group, { replaced_below: ticket.ticket, replaced_by: ticket.run_id, replaced_holders_below });
  await tx.write(
    `UPDATE locks_groups SET replaced_below = ?, replaced_by = ?, replaced_holders_below = ?
     WHERE project_id = ? AND group_key = ?`,
    [ticket.ticket, ticket.run_id, replaced_holders_below, project_id, group_key],
  );
  skipGroupGuard(tx, group);
}

/** Returns the ticket below which the holders of a group are replaced. */
export async function readReplacedHolders(
  on: Pick<Transaction, 'read'>,
  group: { project_id: string; group_key: string },
): Promise<number | null> {
  const [row] = await on.read<{ replaced_holders_below: number | null }>(
    'SELECT replaced_holders_below FROM locks_groups WHERE project_id = ? AND group_key = ?',
    [group.project_id, group.group_key],
  );
  return row?.replaced_holders_below ?? null;
}

export async function countWaiting(
  on: Pick<Transaction, 'read'>,
  group: { project_id: string; group_key: string },
): Promise<number> {
  const [row] = await on.read<{ n: number }>(
    `SELECT COUNT(*) AS n FROM locks_tickets WHERE project_id = ? AND group_key = ? AND state = 'waiting'`,
    [group.project_id, group.group_key],
  );
  return Number(row!.n);
}

/** Takes the next ticket number of a locked group. */
export async function drawTicket(
  tx: Transaction,
  group: LockedGroup,
  { owner, limit: requested_limit, throttle, priority = 0 }: LeaseRequest,
  now: number,
): Promise<Ticket> {
  const ticket = group.last_ticket + 1;
  const limit = limitOf({ limit: requested_limit, throttle });
  const [throttle_limit, throttle_ms] = throttle ? [throttle.limit, throttle.period_ms] : [null, null];
  const max_holders = limit === 1 ? null : limit;
  const queue_position = priority === 0 ? null : queuePosition(ticket, priority);
  group.last_ticket = ticket;
  if (max_holders !== null) group.limited = 1;
  if (queue_position !== null) group.prioritized = 1;
  if (throttle) group.throttled = 1;
  await writeOne(
    tx,
    'UPDATE locks_groups SET last_ticket = ?, limited = ?, prioritized = ?, throttled = ? WHERE project_id = ? AND group_key = ?',
    [ticket, group.limited, group.prioritized, group.throttled, group.project_id, group.group_key],
  );
  skipGroupGuard(tx, group);
  await writeOne(
    tx,
    `INSERT INTO locks_tickets (project_id, group_key, ticket, org_id, run_id, owner_kind, owner_id, state, asked_at,
       max_holders, queue_position, throttle_limit, throttle_ms) VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?, ?, ?, ?)`,
    [
      ...[group.project_id, group.group_key, ticket, group.org_id, owner.run_id, owner.kind, owner.id, now],
      ...[max_holders, queue_position, throttle_limit, throttle_ms],
    ],
  );
  const { org_id, project_id, group_key } = group;
  return {
    org_id,
    project_id,
    group_key,
    ticket,
    run_id: owner.run_id,
    owner_kind: owner.kind,
    owner_id: owner.id,
    state: 'waiting',
    fence: null,
    asked_at: now,
    granted_at: null,
    to_tell: null,
    held: null,
    max_holders,
    queue_position,
    throttle_limit,
    throttle_ms,
  };
}

/** Sets when the first waiter of a locked group may start. */
export async function setNextStart(tx: Transaction, group: LockedGroup, next_at: number | null): Promise<void> {
  group.next_at = next_at;
  await writeOne(tx, 'UPDATE locks_groups SET next_at = ? WHERE project_id = ? AND group_key = ?', [
    next_at,
    group.project_id,
    group.group_key,
  ]);
  skipGroupGuard(tx, group);
}

/** The throttle of a ticket; undefined: none. */
export const throttleOf = ({
  throttle_limit: limit,
  throttle_ms: period_ms,
}: Pick<Ticket, 'throttle_limit' | 'throttle_ms'>): LeaseThrottle | undefined =>
  limit === null || period_ms === null ? undefined : { limit, period_ms: Number(period_ms) };

/** Runs a guarded write under a lock that was checked before; any other row count must not be committed. */
export async function writeOne(
  tx: Transaction,
  statement: string,
  params: readonly (string | number | null)[],
): Promise<void> {
  const changed = await tx.write(statement, params);
  if (changed !== 1) throw new Error(`${changed} rows changed instead of 1: ${statement}`);
}
