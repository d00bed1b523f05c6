import type { HttpAddress, Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { RunStore } from '../contract.ts';
import type { CancelRunBody } from '../generated/cancel-run.ts';
import bodySchema from '../schema/cancel-run.schema.json' with { type: 'json' };
import runSchema from '../schema/run.schema.json' with { type: 'json' };
import { renderRun, runUrl } from '../service/render.ts';
import { runId } from '../service/run-views.ts';
import { MEMBER, SCOPED } from './paths.ts';

/** `POST {scoped}/runs/{run}/cancel`; again it answers the same, 409 `run_finished` when the run ended otherwise. */
export function cancelRunRoute(store: RunStore, address: HttpAddress): Route {
  return {
    method: 'POST',
    path: `${SCOPED}/runs/:run/cancel`,
    operation: 'cancelRun',
    summary: 'Cancel a run',
    access: MEMBER,
    body: bodySchema,
    responses: { 200: { description: 'The cancelled run.', schema: runSchema } },
    async handle(request) {
      const { scope, params, body, principal } = request;
      const { org_id, project_id } = scope;
      const reason = (body as CancelRunBody | undefined)?.reason ?? `cancelled by ${principal?.name ?? 'a user'}`;
      const run = await store.cancelRun({
        org_id,
        project_id,
        run_id: runId(params.run),
        reason,
        by: auditSource(request),
      });
      return { status: 200, json: renderRun(run, runUrl(address.public_url(), scope, run.run_id)) };
    },
  };
}
