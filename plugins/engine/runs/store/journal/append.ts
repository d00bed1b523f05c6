import {
  retryUnknownCommit,
  type BatchOutcome,
  type GroupCommit,
  type Transaction,
} from '../../../../../kernel/contracts/index.ts';
import { type Appended, type ClaimRef, type JournalRecord, PAUSED_DUE } from '../../contract.ts';
import { checkRecord, sameRecord } from '../../domain/record-rules.ts';
import {
  hasClaim,
  lockFences,
  lockJournalEnds,
  claimLost,
  type ActivityTraits,
  type Fence,
} from '../rows/activities.ts';
import {
  journalGap,
  hasSite,
  insertRecords,
  lastPositions,
  recordConflict,
  siteConflict,
  readRecord,
  type SealedRecord,
  sealRecord,
} from '../rows/journal.ts';
import type { StoreContext } from '../rows/context.ts';
import { recordBytes, countCalls } from '../rows/usage.ts';

const MAX_APPENDS = 128;

interface Append {
  claim: ClaimRef;
  owner: ActivityTraits;
  sealed: SealedRecord;
}

const appendedActivity = ({ claim }: Append): string => claim.activity_id;

type AppendOutcome = BatchOutcome<Appended>;
const APPENDED: AppendOutcome = { ok: {} };
const APPENDED_PAUSED: AppendOutcome = { ok: { paused: true } };

const appended = (fence: Fence | undefined): AppendOutcome => (fence?.due === PAUSED_DUE ? APPENDED_PAUSED : APPENDED);

/** Appends records to journals. Activities of this process share transactions. */
export class JournalAppends {
  readonly #store: StoreContext;
  readonly #commits: GroupCommit<Append, Appended>;

  constructor(store: StoreContext) {
    this.#store = store;
    this.#commits = store.group_commits.create<Append, Appended>({
      name: 'runs.append',
      max_batch: MAX_APPENDS,
      flush: (tx, batch) => appendBatch(tx, batch, store),
    });
  }

  async append(claim: ClaimRef, record: JournalRecord): Promise<Appended> {
    checkRecord(record);
    const owner = await this.#store.owners.find(claim.activity_id);
    await this.#store.journal_sizes.prepare(owner);
    const sealed = sealRecord(this.#store.sealer, owner, claim.epoch, record);
    return retryUnknownCommit(() => this.#commits.submit({ claim, owner, sealed }));
  }
}

/**
 * Locks the activities of the batch, so that no claim changes before the commit (I2), and inserts records that continue
 * their journals without a gap (I4). An existing record is a repeat after a lost answer, or a conflict.
 */
async function appendBatch(tx: Transaction, batch: readonly Append[], store: StoreContext): Promise<AppendOutcome[]> {
  const { fences, last } = await lockJournals(tx, batch);
  const next: Append[] = [];
  const outcomes: AppendOutcome[] = [];
  for (const append of batch) {
    const { claim, sealed } = append;
    if (!hasClaim(fences.get(claim.activity_id), claim)) {
      outcomes.push({ error: claimLost(claim) });
      continue;
    }
    const before = last.get(claim.activity_id)!;
    const position = sealed.record.position;
    if (position === before + 1) {
      last.set(claim.activity_id, position);
      next.push(append);
      outcomes.push(appended(fences.get(claim.activity_id)));
    } else outcomes.push(await repeatOutcome(tx, store, append, before, next));
  }
  const rejected = await beyondQuota(tx, store, next);
  for (const [append, error] of rejected) outcomes[batch.indexOf(append)] = { error };
  const accepted = next.filter((append) => !rejected.has(append));
  await insertAppends(tx, store, accepted, batch.length === 1, outcomes);
  return outcomes;
}

/**
 * Locks the activities of the batch, and reads the last positions of their journals. Where there is one writer, one statement
 * does both; elsewhere, a position that was read before the lock was granted may be old.
 */
async function lockJournals(
  tx: Transaction,
  batch: readonly Append[],
): Promise<{ fences: ReadonlyMap<string, Fence>; last: Map<string, number> }> {
  if (tx.sql.family === 'sqlite') {
    const fences = await lockJournalEnds(tx, batch.map(appendedActivity));
    return { fences, last: new Map([...fences.values()].map(({ activity_id, last }) => [activity_id, last ?? -1])) };
  }
  const fences = await lockFences(tx, batch.map(appendedActivity));
  const valid = batch.filter(({ claim }) => hasClaim(fences.get(claim.activity_id), claim));
  return { fences, last: valid.length === 0 ? new Map() : await lastPositions(tx, valid.map(appendedActivity)) };
}

/**
 * The records that exceed a limit. Those of one trusted activity, and of one untrusted run, are accepted together or not at all:
 * a record that follows a rejected one would leave a gap (I4).
 */
async function beyondQuota(
  tx: Transaction,
  store: StoreContext,
  appends: readonly Append[],
): Promise<ReadonlyMap<Append, Error>> {
  const rejected = new Map<Append, Error>();
  const trusted = appends.filter(({ owner }) => owner.trusted);
  for (const [activity_id, same] of Map.groupBy(trusted, appendedActivity)) {
    const bytes = same.reduce((sum, { sealed: { record } }) => sum + recordBytes(record), 0);
    const error = store.journal_sizes.checkLimit(activity_id, bytes);
    if (error) for (const append of same) rejected.set(append, error);
  }
  const counted = appends.filter(({ owner }) => !owner.trusted);
  const runs = [...Map.groupBy(counted, ({ owner }) => owner.run_id)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [run_id, same] of runs) {
    const error = await countCalls(
      tx,
      store.limits,
      run_id,
      same.map(({ sealed: { record } }) => ({ bytes: recordBytes(record) })),
    );
    if (error) for (const append of same) rejected.set(append, error);
  }
  return rejected;
}

/** The outcome of a record that does not continue its journal: that of a repeat, or a conflict. */
async function repeatOutcome(
  tx: Transaction,
  store: StoreContext,
  { owner, sealed }: Append,
  last: number,
  batch: readonly Append[],
): Promise<AppendOutcome> {
  const { position } = sealed.record;
  if (position > last) return { error: journalGap(owner, position, last) };
  const repeated = batch.find(
    (other) => other.owner.activity_id === owner.activity_id && other.sealed.record.position === position,
  );
  const recorded = repeated?.sealed.record ?? (await readRecord(tx, store.sealer, owner, position));
  return recorded && sameRecord(recorded, sealed.record) ? APPENDED : { error: recordConflict(owner, position) };
}

/** The cause of a failed insert is known only for a single record, so the group commit halves a larger batch until then. */
async function insertAppends(
  tx: Transaction,
  store: StoreContext,
  appends: readonly Append[],
  is_single: boolean,
  outcomes: AppendOutcome[],
): Promise<void> {
  if (appends.length === 0) return;
  try {
    await insertRecords(
      tx,
      appends.map(({ sealed }) => sealed),
      store.database.now(),
      store,
    );
  } catch (error) {
    const [append] = appends;
    if (!is_single || !append || !(await hasSite(tx, append.owner, append.sealed.record))) throw error;
    outcomes[0] = { error: siteConflict(append.owner, append.sealed.record) };
    return;
  }
  for (const { owner, sealed } of appends)
    tx.afterCommit(() => store.journal_sizes.add(owner.activity_id, recordBytes(sealed.record)));
  for (const [run_id, project_id] of new Map(appends.map(({ owner }) => [owner.run_id, owner.project_id])))
    tx.afterCommit(() => store.wakeups.run(run_id, { project_id, part: 'steps' }));
}
