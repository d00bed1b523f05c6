import { type Client, readAll, type Run } from '../../../../cli/contract.ts';
import { explain } from '../explain/explanation.ts';
import { type ExplanationSource, readExplanationInput } from '../explain/read-input.ts';
import { readAllSteps } from './all-steps.ts';
import { paint } from './describe.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const known = await readExplanationInput(sourceOf(api), args[0]!);
  const explanation = explain(known);
  const { run_id, status, substate } = known.run;
  output.data({ run_id, status, ...(substate ? { substate } : {}), ...explanation }, () =>
    [
      `${run_id}: ${paint(status, output)}`,
      explanation.because.join(' '),
      ...explanation.next.map((hint) => `  → ${hint}`),
    ].join('\n'),
  );
  return undefined;
};

function sourceOf(api: Client): ExplanationSource {
  const whole = (path: string) => (path.startsWith('/api/') ? path : api.scoped(path));
  return {
    project: api.profile.project,
    json: (path, query) => api.json({ path: whole(path), ...(query && { query }) }),
    list: (path, member) => readAll(api, whole(path), member),
    steps: (run_id, query) => readAllSteps(api, run_id, query),
    now: Date.now,
  };
}
