import { type Client, type Output, readAll, type Run, usageError } from '../../../../cli/contract.ts';
import { explain } from '../explain/explanation.ts';
import { type ExplanationSource, readExplanationInput } from '../explain/read-input.ts';
import { readAllSteps } from './all-steps.ts';
import { paint } from './describe.ts';
import { explainPeriod } from './explain-period.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const [run_id] = args;
  if ((run_id === undefined) === (flags.since === undefined))
    throw usageError('svc explain needs a run or --since', 'svc explain run_01J…, or svc explain --since 24h');
  const api = await client();
  return run_id === undefined ? explainPeriod(api, String(flags.since), output) : explainRun(api, run_id, output);
};

async function explainRun(api: Client, run_id: string, output: Output): Promise<undefined> {
  const known = await readExplanationInput(sourceOf(api), run_id);
  const explanation = explain(known);
  const { status, substate } = known.run;
  output.data({ run_id: known.run.run_id, status, ...(substate ? { substate } : {}), ...explanation }, () =>
    [
      `${known.run.run_id}: ${paint(status, output)}`,
      explanation.because.join(' '),
      ...explanation.next.map((hint) => `  → ${hint}`),
    ].join('\n'),
  );
  return undefined;
}

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
