import type { HttpRequest } from '../../../kernel/contracts/index.ts';
import { checkRunId } from './contract.ts';

/** The run that a path names. Throws `not_found` for a text that is no id. */
export const target = ({ scope: { org_id, project_id }, params }: HttpRequest) => ({
  org_id,
  project_id,
  run_id: checkRunId(params.run),
});
