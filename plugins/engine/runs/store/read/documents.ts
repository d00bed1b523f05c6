import { Errors, type Queries, type Sealer } from '../../../../../kernel/contracts/index.ts';
import type { ActivityScope, RunDocumentText, WorkflowPin } from '../../contract.ts';
import type { RunRow } from '../rows/runs.ts';
import { openFiles, openText, sealContext } from '../rows/sealing.ts';

type DocumentRow = Pick<RunRow, 'kind' | 'workflow' | 'filename' | 'pin' | 'source_digest'> & {
  source: string;
  files: string | null;
};

/** The document that a run carries out. Throws `not_found`. */
export async function readDocument(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  { org_id, project_id, run_id }: ActivityScope,
): Promise<RunDocumentText> {
  const [row] = await on.read<DocumentRow>(
    `SELECT r.kind, r.workflow, r.filename, r.pin, r.source_digest, s.source, s.files
     FROM runs_runs r JOIN runs_sources s ON s.project_id = r.project_id AND s.digest = r.source_digest
     WHERE r.run_id = ? AND r.org_id = ? AND r.project_id = ?`,
    [run_id, org_id, project_id],
  );
  if (!row) throw Errors.notFound(`no run ${run_id} in this project`);
  await sealer.prepare(org_id);
  const { source_digest, ...document } = row;
  const source = openText(sealer, sealContext.source({ org_id, project_id }, source_digest), row.source);
  const files = openFiles(sealer, { org_id, project_id }, source_digest, row.files);
  return { ...document, source, files, pin: row.pin === null ? undefined : (JSON.parse(row.pin) as WorkflowPin) };
}
