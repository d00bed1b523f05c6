import { type Database, Errors } from '../../../kernel/contracts/index.ts';
import type { ActivityContext, JournaledVerb, Json, NewRun, RunCreation, SubmitRun } from '../contract.ts';
import { readRunRows } from '../store/run-rows.ts';

/** The arguments of `svc spawn`. */
interface SpawnCall {
  source: string;
  filename?: string;
  kind?: string;
  tags: string[];
}

/**
 * `svc spawn`: args `{source, filename?, kind?, tags?}`. The child run and its record are written in one transaction,
 * so that a position spawns one run however often the script runs.
 */
export function spawnVerb(database: Pick<Database, 'read'>, creation: () => RunCreation): JournaledVerb {
  return {
    kind: 'spawn',
    async prepare(context, args) {
      return creation().prepare(await childOf(database, context, readCall(args)));
    },
    async perform(tx, _context, _args, prepared) {
      const child = prepared as NewRun;
      await creation().createIn(tx, [child]);
      return { exit_code: 0, output: Buffer.from(`${child.run_id}\n`) };
    },
  };
}

/** It inherits its parent's subject and generation, and at most its trust. */
async function childOf(
  database: Pick<Database, 'read'>,
  context: ActivityContext,
  call: SpawnCall,
): Promise<SubmitRun> {
  const { org_id, project_id, run_id, subject, generation, trusted } = context;
  const [parent] = await readRunRows(database, [run_id]);
  if (!parent) throw Errors.notFound(`there is no run ${run_id} to be the parent`);
  return {
    ...call,
    org_id,
    project_id,
    org: parent.org,
    project: parent.project,
    subject: subject ?? undefined,
    trigger: { type: 'spawn', parent: run_id },
    trusted,
    generation,
    parent: run_id,
    submitted_by: context.activity_id,
  };
}

function readCall(args: Json): SpawnCall {
  const given = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const { source, filename, kind, tags = [], ...unknown } = given;
  const text = (value: Json | undefined): boolean => value === undefined || typeof value === 'string';
  const list = Array.isArray(tags) && tags.every((tag) => typeof tag === 'string');
  if (typeof source !== 'string' || !text(filename) || !text(kind) || !list || Object.keys(unknown).length > 0)
    throw Errors.invalidRequest('spawn takes a source, and perhaps a filename, a kind and tags');
  return {
    source,
    filename: filename as string | undefined,
    kind: kind as string | undefined,
    tags: tags as string[],
  };
}
