import type { HttpAddress, Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { RerunRunBody } from '../generated/rerun-run.ts';
import type { Reruns } from '../rerun/rerun.ts';
import bodySchema from '../schema/rerun-run.schema.json' with { type: 'json' };
import answerSchema from '../schema/submitted-run.schema.json' with { type: 'json' };
import { runUrl } from '../service/render.ts';
import { runId } from '../service/run-views.ts';
import { MEMBER, SCOPED } from './paths.ts';

/** `POST {scoped}/runs/{run}/rerun`: 201 with a new run of the same document and input, 409 `run_unfinished`. */
export function rerunRunRoute(reruns: Reruns, address: HttpAddress): Route {
  return {
    method: 'POST',
    path: `${SCOPED}/runs/:run/rerun`,
    operation: 'rerunRun',
    summary: 'Run a finished run anew, from its beginning or from a site on',
    access: MEMBER,
    body: bodySchema,
    responses: { 201: { description: 'The new run.', schema: answerSchema } },
    async handle(request) {
      const { scope, params, body } = request;
      const { from } = (body as RerunRunBody | undefined) ?? {};
      const { org_id, project_id, org, project } = scope;
      const of = { org_id, project_id, org, project, run_id: runId(params.run) };
      const { run_id, status } = await reruns.rerun({ ...of, from, by: auditSource(request) });
      const run_url = runUrl(address.public_url(), scope, run_id);
      return { status: 201, json: { run_id, status, ...(run_url === undefined ? {} : { run_url }) } };
    },
  };
}
