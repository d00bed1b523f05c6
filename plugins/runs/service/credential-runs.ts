import type { Queries } from '../../../kernel/contracts/index.ts';
import type { CredentialRuns } from '../contract.ts';

interface NamingRow {
  run_id: string;
  workflow: string;
  credentials: string;
}

/** Finds the runs that a vanished credential would fail. */
export function createCredentialRuns(on: Pick<Queries, 'read'>): CredentialRuns {
  return {
    async naming({ org_id, project_id }, credential, limit) {
      // JSON.stringify writes `"VARIABLE":"name"`, and names hold nothing that it escapes.
      const rows = await on.read<NamingRow>(
        `SELECT run_id, workflow, credentials FROM runs_runs
         WHERE project_id = ? AND org_id = ? AND status IN ('queued', 'running', 'waiting') AND INSTR(credentials, ?) > 0
         ORDER BY run_id DESC LIMIT ${Math.trunc(limit)}`,
        [project_id, org_id, `:"${credential}"`],
      );
      return rows.map(({ run_id, workflow, credentials }) => ({
        run_id,
        workflow,
        variables: variablesOf(JSON.parse(credentials) as Record<string, string>, credential),
      }));
    },
  };
}

const variablesOf = (credentials: Record<string, string>, credential: string): string[] =>
  Object.keys(credentials).filter((variable) => credentials[variable] === credential);
