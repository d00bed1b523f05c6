import type { Queries, Sealer } from '../../../../../kernel/contracts/index.ts';
import { type ActivityScope, type Claimed, type JournalRecord, type RunProgram, runNotFound } from '../../contract.ts';
import { RETRY_WAIT } from '../../domain/retry-kind.ts';
import type { RunRow } from '../rows/runs.ts';
import { openEnv, parseJson } from '../rows/sealing.ts';

type On = Pick<Queries, 'read'>;

const PROGRAM = ['kind', 'filename', 'interpreter', 'env', 'credentials'] as const;

/** What the program of a run was given, beside its input. Throws `not_found`. */
export async function readProgram(on: On, sealer: Sealer, run: ActivityScope): Promise<RunProgram> {
  const [row] = await on.read<Pick<RunRow, (typeof PROGRAM)[number]>>(
    `SELECT ${PROGRAM.join(', ')} FROM runs_runs WHERE run_id = ? AND org_id = ? AND project_id = ?`,
    [run.run_id, run.org_id, run.project_id],
  );
  if (!row) throw runNotFound(run.run_id);
  await sealer.prepare(run.org_id);
  return {
    ...row,
    env: openEnv(sealer, run, row.env),
    credentials: Object.keys(row.credentials === null ? {} : (parseJson(row.credentials) as object)),
  };
}

/** The input of a run, or the event that started it, as it is stored. Throws `not_found`. */
export async function readEnvelope(
  on: On,
  sealer: Pick<Sealer, 'prepare'>,
  { org_id, project_id, run_id }: ActivityScope,
): Promise<Claimed['envelope']> {
  const [row] = await on.read<Pick<RunRow, 'envelope'>>(
    'SELECT envelope FROM runs_runs WHERE run_id = ? AND org_id = ? AND project_id = ?',
    [run_id, org_id, project_id],
  );
  if (!row) throw runNotFound(run_id);
  await sealer.prepare(org_id);
  return parseJson(row.envelope) as Claimed['envelope'];
}

type Call = Pick<JournalRecord, 'position' | 'kind' | 'name' | 'ordinal'>;

/** The call in which an activity waits, or pauses between two attempts. */
export async function readArmedCall(on: On, run_id: string, activity_id: string): Promise<Call | undefined> {
  const [wait] = await on.read<Call>(
    `SELECT position, kind, name, ordinal FROM runs_waits
     WHERE run_id = ? AND activity_id = ? AND state = 'armed' ORDER BY position LIMIT 1`,
    [run_id, activity_id],
  );
  return wait?.kind === RETRY_WAIT ? await readTriedCall(on, run_id, activity_id, wait.position) : wait;
}

async function readTriedCall(on: On, run_id: string, activity_id: string, position: number): Promise<Call | undefined> {
  const [tried] = await on.read<Call>(
    `SELECT position, kind, name, ordinal FROM runs_attempts
     WHERE run_id = ? AND activity_id = ? AND position = ? AND attempt = 1`,
    [run_id, activity_id, position],
  );
  return tried;
}
