import type { SealedPlace } from '../../../kernel/contracts/index.ts';

export interface FlowScope {
  org_id: string;
  project_id: string;
  run_id: string;
}

/** The sealed place of each sealed column. */
export const place = (
  { org_id, project_id, run_id }: FlowScope,
  table: string,
  key: string,
  field: string,
): SealedPlace => ({
  ...{ org_id, project_id, table, field },
  kind: 'flows',
  name: `${run_id}/${key}`,
});
