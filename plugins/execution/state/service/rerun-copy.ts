import { chunks, type Database, type Sealer, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { CopiedPrefix, KeptResults, RerunPart } from '../../../engine/runs/contract.ts';
import { writeEntry } from '../store/entries.ts';
import { insertVersion, readChanges, readVersion, readVersionsBefore, type StateChange } from '../store/versions.ts';

type Clock = Pick<Database, 'now'>;

/** Gives a rerun the entries of the first run as they were at the site, or as the jobs left them that it reuses. */
export const copyState = (database: Clock, sealer: Sealer): RerunPart => ({
  name: 'state',
  copy: async (tx, prefix) => {
    // The journal of a job comes with reused jobs, and `keep` has copied the entries of all of them in the order of their changes.
    if (prefix.job === undefined) await copyAtSite(tx, sealer, database, prefix);
  },
  keep: (tx, kept) => copyReused(tx, sealer, database, kept),
});

/** The entries of the run at the end of the prefix, with their history. */
async function copyAtSite(tx: Transaction, sealer: Sealer, database: Clock, prefix: CopiedPrefix): Promise<void> {
  const { org_id, project_id, from, to, records, trusted } = prefix;
  const scope = { org_id, project_id };
  const versions = await readVersionsBefore(tx, sealer, { ...scope, ...from, position: records.length });
  const final = new Map<string, string | undefined>();
  for (const { position, key, value } of versions) {
    await insertVersion(tx, sealer, { ...scope, ...to, position }, key, value);
    final.set(key, value);
  }
  const by = { trusted, written_by: to.activity_id, at: database.now() };
  const owner = { ...scope, run_id: to.run_id, entity: '' };
  for (const [key, value] of final) if (value !== undefined) await writeEntry(tx, sealer, owner, key, value, by);
}

/**
 * The entries of the run as the jobs left them that the rerun reuses, with the changes that led to them: a rerun of the rerun
 * needs these. A job that goes on from a site adds what it had changed before the site.
 */
async function copyReused(tx: Transaction, sealer: Sealer, database: Clock, kept: KeptResults): Promise<void> {
  const { org_id, project_id, from, to, resumed, trusted } = kept;
  const changes = await readChanges(tx, from.run_id);
  const isBeforeSite = (change: StateChange) =>
    change.activity_id === resumed?.from.activity_id && change.position < resumed.records.length;
  const redone = await findRedone(tx, changes, kept);
  const ordered = changes
    .filter((change) => isBeforeSite(change) || !redone.has(change.activity_id))
    .sort((a, b) => (a.recorded_at ?? 0) - (b.recorded_at ?? 0) || a.position - b.position);
  const final = new Map(ordered.map((change) => [Buffer.from(change.cell).toString('hex'), change]));
  const at = database.now();
  const scope = { org_id, project_id };
  for (const change of ordered) {
    const resumes = isBeforeSite(change);
    const isFinal = final.get(Buffer.from(change.cell).toString('hex')) === change;
    // A job that goes on needs all of its changes, of another job only the outcome counts.
    if (!resumes && !isFinal) continue;
    const { activity_id, position } = change;
    const { key, value } = await readVersion(tx, sealer, { ...scope, run_id: from.run_id, activity_id, position });
    const writer = resumes ? resumed!.to.activity_id : activity_id;
    await insertVersion(tx, sealer, { ...scope, run_id: to.run_id, activity_id: writer, position }, key, value);
    if (!isFinal || value === undefined) continue;
    const owner = { ...scope, run_id: to.run_id, entity: '' };
    await writeEntry(tx, sealer, owner, key, value, { trusted, written_by: writer, at });
  }
}

/** The activities among those of the changes whose work the rerun does again. */
async function findRedone(
  tx: Transaction,
  changes: readonly StateChange[],
  { redone }: KeptResults,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const activity_ids = new Set(changes.map(({ activity_id }) => activity_id));
  for (const chunk of chunks([...activity_ids])) for (const id of await redone(tx, chunk)) found.add(id);
  return found;
}
