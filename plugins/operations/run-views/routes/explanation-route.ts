import { type HttpRequest, type Route, SCOPED, VIEWER } from '../../../../kernel/contracts/index.ts';
import { checkRunId } from '../../../engine/runs/contract.ts';
import type { Operations } from '../../../platform/http/contract.ts';
import type { NodeView, StepView } from '../explain/answers.ts';
import { explain } from '../explain/explanation.ts';
import { type ExplanationSource, readExplanationInput, type StepList, type StepsQuery } from '../explain/read-input.ts';
import explanationSchema from '../schema/run-explanation.schema.json' with { type: 'json' };

/** The pages that are read of each list, so that an explanation costs the same whatever a project has stored. */
const MAX_PAGES = 3;
const PAGE = 200;

export const explanationRoute = (operations: () => Operations, now: () => number): Route => ({
  method: 'GET',
  path: `${SCOPED}/runs/:run/explanation`,
  operation: 'explainRun',
  summary: 'Explain why a run is in its state, and what to do',
  access: VIEWER,
  responses: { 200: { description: 'The explanation.', schema: explanationSchema } },
  async handle(request) {
    const known = await readExplanationInput(sourceOf(request, operations(), now), checkRunId(request.params.run));
    const { run_id, status } = known.run;
    return { status: 200, json: { run_id, status, ...explain(known) } };
  },
});

/** Reads with the rights of the caller, through the routes that `svc explain` uses. */
function sourceOf(request: HttpRequest, operations: Operations, now: () => number): ExplanationSource {
  const { org = '', project = '' } = request.params;
  const scoped = `/api/v1/orgs/${encodeURIComponent(org)}/projects/${encodeURIComponent(project)}`;

  async function json<T>(path: string, query?: Readonly<Record<string, string | number>>): Promise<T> {
    const whole = path.startsWith('/api/') ? path : `${scoped}${path}`;
    const reply = await operations.call({ method: 'GET', path: whole, ...(query && { query }) }, request);
    return ('json' in reply ? reply.json : undefined) as T;
  }

  async function list<T>(path: string, member: string, query: Readonly<Record<string, string>> = {}): Promise<T[]> {
    const items: T[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const page = await json<Record<string, unknown>>(path, { ...query, limit: PAGE, ...(cursor && { cursor }) });
      items.push(...(page[member] as T[]));
      cursor = page.next_cursor as string | undefined;
      if (cursor === undefined) break;
    }
    return items;
  }

  async function steps(run_id: string, query: StepsQuery = {}): Promise<StepList> {
    const set = Object.entries(query).flatMap(([name, value]) => (value ? [[name, String(value)] as const] : []));
    const found = await list<StepView | NodeView>(
      `/runs/${encodeURIComponent(run_id)}/steps`,
      'steps',
      Object.fromEntries(set),
    );
    const [first] = found;
    return first !== undefined && 'node' in first ? { nodes: found as NodeView[] } : { steps: found as StepView[] };
  }

  return { project, json, list, steps, now };
}
