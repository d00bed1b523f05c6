import type { SealContext } from '../../../../kernel/contracts/index.ts';

export interface FlowScope {
  org_id: string;
  project_id: string;
  run_id: string;
}

/** The sealed place of each sealed column. */
export const sealContext = (
  { org_id, project_id, run_id }: FlowScope,
  table: string,
  key: string,
  field: string,
): SealContext => ({
  org_id,
  project_id,
  table,
  field,
  kind: 'flows',
  name: `${run_id}/${key}`,
});
