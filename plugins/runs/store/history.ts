import { Errors, type Queries, type Sealer } from '../../../kernel/contracts/index.ts';
import type { Claimed, JournalRecord } from '../contract.ts';
import { RETRY_WAIT } from '../domain/retry-kind.ts';
import type { RunRow } from './run-columns.ts';
import { parseJson } from './run-rows.ts';
import { openEnv } from './sealing.ts';

type On = Pick<Queries, 'read'>;

const GIVEN = ['kind', 'filename', 'interpreter', 'env', 'credentials', 'envelope'] as const;

/** What the program of a run was given. */
export interface GivenToRun {
  kind: string;
  filename: string | null;
  interpreter: string | null;
  env: Record<string, string>;
  /** Variables. */
  credentials: string[];
  /** As it is stored. */
  envelope: Claimed['envelope'];
}

/** Throws `not_found`. */
export async function readGiven(
  on: On,
  sealer: Sealer,
  scope: { org_id: string; project_id: string },
  run_id: string,
): Promise<GivenToRun> {
  const [row] = await on.read<Pick<RunRow, (typeof GIVEN)[number]>>(
    `SELECT ${GIVEN.join(', ')} FROM runs_runs WHERE run_id = ? AND org_id = ? AND project_id = ?`,
    [run_id, scope.org_id, scope.project_id],
  );
  if (!row) throw Errors.notFound(`no run ${run_id} in this project`);
  await sealer.prepare(scope.org_id);
  return {
    ...row,
    env: openEnv(sealer, { ...scope, run_id }, row.env),
    credentials: Object.keys(row.credentials === null ? {} : (parseJson(row.credentials) as object)),
    envelope: parseJson(row.envelope) as Claimed['envelope'],
  };
}

/** What a run was given as its input, as it is stored. Throws `not_found`. */
export async function readEnvelope(
  on: On,
  sealer: Pick<Sealer, 'prepare'>,
  scope: { org_id: string; project_id: string },
  run_id: string,
): Promise<Claimed['envelope']> {
  const [row] = await on.read<Pick<RunRow, 'envelope'>>(
    'SELECT envelope FROM runs_runs WHERE run_id = ? AND org_id = ? AND project_id = ?',
    [run_id, scope.org_id, scope.project_id],
  );
  if (!row) throw Errors.notFound(`no run ${run_id} in this project`);
  await sealer.prepare(scope.org_id);
  return parseJson(row.envelope) as Claimed['envelope'];
}

type Call = Pick<JournalRecord, 'position' | 'kind' | 'name' | 'ordinal'>;

/** The call that an activity waits in, or pauses in between two attempts. */
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
