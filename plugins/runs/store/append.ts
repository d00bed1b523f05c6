import { retryUnknownCommit } from '../../../kernel/contracts/index.ts';
import type { BatchOutcome, GroupCommit, Transaction } from '../../../kernel/contracts/index.ts';
import type { ClaimRef, JournalRecord } from '../contract.ts';
import { checkRecord, sameRecord } from '../domain/record-rules.ts';
import { holds, lockFences, lost } from './activity-rows.ts';
import {
  gap,
  hasSite,
  insertRecords,
  lastPositions,
  otherRecord,
  otherSite,
  readRecord,
  type SealedRecord,
  sealRecord,
} from './journal.ts';
import type { StoreParts } from './parts.ts';
import type { KnownActivity } from './activity-owners.ts';
import { bytesOfRecord, countCalls } from './untrusted-runs.ts';

const BATCH = 128;

interface Append {
  claim: ClaimRef;
  owner: KnownActivity;
  sealed: SealedRecord;
}

const activityOf = ({ claim }: Append): string => claim.activity_id;

type Answer = BatchOutcome<void>;
const done: Answer = { ok: undefined };

/** Adds records to journals; activities of this process share transactions. */
export class Appends {
  readonly #store: StoreParts;
  readonly #commits: GroupCommit<Append, void>;

  constructor(store: StoreParts) {
    this.#store = store;
    this.#commits = store.group_commits.create<Append, void>({
      name: 'runs.append',
      max_batch: BATCH,
      flush: (tx, batch) => flush(tx, batch, store),
    });
  }

  async append(claim: ClaimRef, record: JournalRecord): Promise<void> {
    checkRecord(record);
    const owner = await this.#store.owners.of(claim.activity_id);
    const sealed = sealRecord(this.#store.sealer, owner, claim.epoch, record);
    await retryUnknownCommit(() => this.#commits.submit({ claim, owner, sealed }));
  }
}

/**
 * Locks the activities of the batch, so that no claim changes before the commit (I2), and inserts records that continue
 * their journals without a gap (I4). An existing record is a repeat after a lost answer, or a conflict.
 */
async function flush(tx: Transaction, batch: readonly Append[], store: StoreParts): Promise<Answer[]> {
  const fences = await lockFences(tx, batch.map(activityOf));
  const held = batch.filter(({ claim }) => holds(fences.get(claim.activity_id), claim));
  const last = held.length === 0 ? new Map<string, number>() : await lastPositions(tx, held.map(activityOf));
  const fresh: Append[] = [];
  const answers: Answer[] = [];
  for (const append of batch) {
    const { claim, sealed } = append;
    if (!holds(fences.get(claim.activity_id), claim)) {
      answers.push({ error: lost(claim) });
      continue;
    }
    const before = last.get(claim.activity_id)!;
    const position = sealed.record.position;
    last.set(claim.activity_id, Math.max(before, position === before + 1 ? position : before));
    if (position === before + 1) fresh.push(append);
    answers.push(position === before + 1 ? done : await repeated(tx, store, append, before, fresh));
  }
  const refused = await beyondBounds(tx, store, fresh);
  const kept = refused.size === 0 ? fresh : fresh.filter((append) => !refused.has(append));
  for (const [append, error] of refused) answers[batch.indexOf(append)] = { error };
  await insert(tx, store, kept, batch.length === 1, answers);
  return answers;
}

/** Records of untrusted runs that have no room for them. Those of one run are taken together, or none of them. */
async function beyondBounds(
  tx: Transaction,
  store: StoreParts,
  fresh: readonly Append[],
): Promise<ReadonlyMap<Append, Error>> {
  const refused = new Map<Append, Error>();
  const counted = fresh.filter(({ owner }) => !owner.trusted);
  const runs = [...Map.groupBy(counted, ({ owner }) => owner.run_id)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [run_id, same] of runs) {
    const error = await countCalls(
      tx,
      store.limits,
      run_id,
      same.map(({ sealed: { record } }) => ({ bytes: bytesOfRecord(record) })),
    );
    if (error) for (const append of same) refused.set(append, error);
  }
  return refused;
}

async function repeated(
  tx: Transaction,
  store: StoreParts,
  { owner, sealed }: Append,
  last: number,
  fresh: readonly Append[],
): Promise<Answer> {
  const { position } = sealed.record;
  if (position > last) return { error: gap(owner, position, last) };
  const beside = fresh.find(
    (other) => other.owner.activity_id === owner.activity_id && other.sealed.record.position === position,
  );
  const recorded = beside?.sealed.record ?? (await readRecord(tx, store.sealer, owner, position));
  return recorded && sameRecord(recorded, sealed.record) ? done : { error: otherRecord(owner, position) };
}

/** The cause of a refused insert is known only for a single record; a larger batch is halved until then. */
async function insert(
  tx: Transaction,
  store: StoreParts,
  fresh: readonly Append[],
  alone: boolean,
  answers: Answer[],
): Promise<void> {
  if (fresh.length === 0) return;
  try {
    await insertRecords(
      tx,
      fresh.map(({ sealed }) => sealed),
      store.database.now(),
      store,
    );
  } catch (error) {
    const [only] = fresh;
    if (!alone || !only || !(await hasSite(tx, only.owner, only.sealed.record))) throw error;
    answers[0] = { error: otherSite(only.owner, only.sealed.record) };
    return;
  }
  for (const [run_id, project_id] of new Map(fresh.map(({ owner }) => [owner.run_id, owner.project_id])))
    tx.afterCommit(() => store.wakeups.run(run_id, { project_id, part: 'steps' }));
}
