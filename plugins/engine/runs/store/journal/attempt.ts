import {
  inState,
  insertRows,
  type Queries,
  retryUnknownCommit,
  type Transaction,
} from '../../../../../kernel/contracts/index.ts';
import { type ArmWait, type Attempted, type ClaimRef, type FailedAttempt, siteOf, type Tried } from '../../contract.ts';
import { checkAttempt } from '../../domain/record-rules.ts';
import { retryKind } from '../../domain/retry-kind.ts';
import { journalConflict } from '../../errors.ts';
import { ACTIVITY, isLastClaim, hasClaim, lockFence, claimLost, type ActivityOwner } from '../rows/activities.ts';
import { hasSite, recordConflict, siteConflict } from '../rows/journal.ts';
import { armWait, setParked } from '../wait/park.ts';
import type { StoreContext } from '../rows/context.ts';
import { readRecordedCall } from './perform.ts';
import { lockRun, writeExactly } from '../rows/runs.ts';
import { sealContext } from '../rows/sealing.ts';
import { recordBytes, countCalls } from '../rows/usage.ts';
import { readWait } from '../rows/waits.ts';

const ATTEMPT_COLUMNS =
  `run_id activity_id position attempt attempts kind name ordinal label exit_code output message epoch started_at
  ended_at next_at`.split(/\s+/);

/** Stores a failed attempt, and parks the activity for the pause that it asks for, in one transaction. */
export async function recordAttempt(store: StoreContext, claim: ClaimRef, failed: FailedAttempt): Promise<Attempted> {
  checkAttempt(failed);
  const owner = await store.owners.find(claim.activity_id);
  return retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRun(tx, owner.run_id);
      const fence = await lockFence(tx, claim.activity_id);
      if (!hasClaim(fence, claim)) {
        if (failed.park && isLastClaim(fence, claim) && (await isParkedBy(tx, owner, claim, failed)))
          return { parked: true };
        throw claimLost(claim);
      }
      if (await readRecordedCall(tx, store, owner, failed)) throw recordConflict(owner, failed.position);
      if (await hasSite(tx, owner, failed)) throw siteConflict(owner, failed);
      if (await insertAttempt(tx, store, owner, claim, failed)) {
        await markTried(tx, claim, failed);
        const bytes = recordBytes(failed);
        const beyond = run.trusted === 0 ? await countCalls(tx, store.limits, run.run_id, [{ bytes }]) : undefined;
        if (beyond) throw beyond;
      }
      if (failed.park) {
        await armWait(tx, store, run, retryKind, claim, pauseAfter(failed));
        await setParked(tx, store, run, claim);
        return { parked: true };
      }
      tx.skipConflictGuard(ACTIVITY.table, [[claim.activity_id]]);
      tx.afterCommit(() => store.wakeups.run(owner.run_id, { project_id: owner.project_id, part: 'steps' }));
      return { kept: true };
    }),
  );
}

/** True when this very call parked the activity before and its answer was lost. */
async function isParkedBy(
  tx: Transaction,
  at: ActivityOwner,
  claim: ClaimRef,
  failed: FailedAttempt,
): Promise<boolean> {
  const wait = await readWait(tx, { ...at, position: failed.position });
  return wait?.epoch === claim.epoch && wait.kind === retryKind.kind;
}

/** The wait of a pause. Its name is the site of the call, which shows what the run waits for. */
function pauseAfter(failed: FailedAttempt): ArmWait {
  const { position, ordinal, label, started_at, pause_ms } = failed;
  const name = siteOf(failed);
  return {
    position,
    kind: retryKind.kind,
    name,
    ordinal,
    digest: '',
    label,
    started_at,
    args: null,
    timeout_ms: pause_ms,
  };
}

/** False when it is stored already, because the answer to this very call was lost. */
async function insertAttempt(
  tx: Transaction,
  store: StoreContext,
  at: ActivityOwner,
  { epoch }: ClaimRef,
  failed: FailedAttempt,
): Promise<boolean> {
  const made = await readLastAttempt(tx, at, failed.position);
  if (made?.attempt === failed.attempt && isSameCall(made, failed)) return false;
  if ((made?.attempt ?? 0) + 1 !== failed.attempt || (made && !isSameCall(made, failed)))
    throw journalConflict(
      `activity ${at.activity_id} has made ${made?.attempt ?? 0} attempts at position ${failed.position}; this is attempt ${failed.attempt} of ${siteOf(failed)}`,
    );
  const { position, attempt, attempts, kind, name, ordinal, label, exit_code, started_at, pause_ms } = failed;
  const place = { run_id: at.run_id, activity_id: at.activity_id, position, attempt };
  const seal = (field: 'output' | 'message', value: Buffer) =>
    store.sealer.seal(sealContext.attempt(at, place, field), value);
  const now = store.database.now();
  await insertRows(tx, 'INSERT INTO runs_attempts', ATTEMPT_COLUMNS, [
    [
      at.run_id,
      at.activity_id,
      position,
      attempt,
      attempts,
      kind,
      name,
      ordinal,
      label ?? null,
      exit_code,
      seal('output', Buffer.from(failed.output, 'base64')),
      failed.message === undefined ? null : seal('message', Buffer.from(failed.message)),
      epoch,
      started_at,
      now,
      now + Math.ceil(pause_ms),
    ],
  ]);
  return true;
}

interface LastAttempt {
  attempt: number;
  kind: string;
  name: string;
  ordinal: number;
  next_at: number;
}

const isSameCall = (a: Omit<LastAttempt, 'attempt' | 'next_at'>, b: FailedAttempt): boolean =>
  a.kind === b.kind && a.name === b.name && a.ordinal === b.ordinal;

async function readLastAttempt(
  on: Pick<Queries, 'read'>,
  { run_id, activity_id }: { run_id: string; activity_id: string },
  position: number,
): Promise<LastAttempt | undefined> {
  const [row] = await on.read<LastAttempt>(
    `SELECT attempt, kind, name, ordinal, next_at FROM runs_attempts
     WHERE run_id = ? AND activity_id = ? AND position = ? ORDER BY attempt DESC LIMIT 1`,
    [run_id, activity_id, position],
  );
  return row;
}

/** Marks the position, so that the next claim of the activity reads the attempts there. */
const markTried = (tx: Transaction, claim: ClaimRef, { position, attempt }: FailedAttempt): Promise<void> =>
  writeExactly(
    tx,
    1,
    `UPDATE runs_activities SET tried_at = ?, tried = ? WHERE ${inState('claimed')} AND activity_id = ? AND epoch = ?`,
    [position, attempt, claim.activity_id, claim.epoch],
  );

/** The last attempt of the call at a position, which has no record yet. */
export async function readLastTried(
  on: Pick<Queries, 'read'>,
  at: { run_id: string; activity_id: string },
  position: number,
  now: number,
): Promise<Tried | undefined> {
  const last = await readLastAttempt(on, at, position);
  if (!last) return undefined;
  const { kind, name, ordinal, attempt, next_at } = last;
  return { position, kind, name, ordinal, attempts: attempt, pause_ms: Math.max(0, next_at - now) };
}
