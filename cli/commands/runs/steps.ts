import type { Client } from '../../client/client.ts';
import type { StepView } from '../../client/types.ts';
import type { Run } from '../../command.ts';

async function allSteps(api: Client, run_id: string): Promise<StepView[]> {
  const steps: StepView[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.json<{ steps: StepView[]; next_cursor?: string }>({
      path: api.scoped(`/runs/${encodeURIComponent(run_id)}/steps`),
      query: { limit: 200, cursor },
    });
    steps.push(...page.steps);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return steps;
}

const outcome = (step: StepView) =>
  step.status === 'waiting' ? `waiting${step.deadline ? ` until ${step.deadline}` : ''}` : `exit ${step.exit_code}`;

const span = (step: StepView) =>
  step.recorded_at === undefined ? '' : `${Math.max(0, Date.parse(step.recorded_at) - Date.parse(step.started_at))} ms`;

const shown = (step: StepView) =>
  (step.stdout ?? (step.stdout_base64 ? `(binary) ${step.stdout_base64}` : '')).trimEnd();

export const run: Run = async ({ args, flags, output, client }) => {
  const steps = await allSteps(await client(), args[0]!);
  const several = new Set(steps.map((step) => step.activity)).size > 1;
  output.data({ steps }, () => {
    const rows = steps.map((step) => [
      String(step.position),
      ...(several ? [step.activity] : []),
      step.kind,
      step.label ? `${step.site} (${step.label})` : step.site,
      outcome(step),
      span(step),
      ...(flags.output ? [shown(step) || (step.message ?? '')] : []),
    ]);
    const head = [
      '#',
      ...(several ? ['activity'] : []),
      'verb',
      'site',
      'outcome',
      'took',
      ...(flags.output ? ['output'] : []),
    ];
    return rows.length > 0 ? output.table(head, rows) : '';
  });
  return undefined;
};
