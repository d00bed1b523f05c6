import type { HttpAddress, Route } from '../../../kernel/contracts/index.ts';
import type { RunEngine } from '../contract.ts';
import runSchema from '../schema/run.schema.json' with { type: 'json' };
import { renderRun, runUrl } from '../service/render.ts';
import { SCOPED, VIEWER } from './paths.ts';

/** `GET {scoped}/runs/{run}`; 404 for a run of another project as for none. */
export function getRunRoute(engine: RunEngine, address: HttpAddress): Route {
  return {
    method: 'GET',
    path: `${SCOPED}/runs/:run`,
    operation: 'getRun',
    summary: 'Show a run',
    access: VIEWER,
    responses: { 200: { description: 'The run.', schema: runSchema } },
    async handle({ scope, params }) {
      const run = await engine.read(scope, params.run!);
      return { status: 200, json: renderRun(run, runUrl(address.public_url(), scope, run.run_id)) };
    },
  };
}
