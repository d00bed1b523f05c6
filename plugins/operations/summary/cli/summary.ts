import { type Api, formatLabels, type Output, type Run } from '../../../../cli/contract.ts';

type Summary = Api.Summary;

export const run: Run = async ({ flags, output, client }) => {
  const api = await client();
  const query = { window: flags.window as string | undefined };
  const summary = await api.json<Summary>({ path: api.scoped('/summary'), query });
  output.data(summary, () => formatSummary(summary, output));
  return undefined;
};

function formatSummary(summary: Summary, output: Output): string {
  const { runs, agents, window } = summary;
  const { red, yellow } = output.colours;
  const failed = runs.failed > 0 ? red(`${runs.failed} failed`) : '0 failed';
  const rows = formatLabels([
    ['now', `${runs.queued} queued, ${runs.running} running, ${runs.waiting} waiting`],
    [`last ${window}`, `${runs.succeeded} succeeded, ${failed}, ${runs.cancelled} cancelled`],
    ['throughput', `${summary.throughput} runs a minute, ${formatPercent(summary.failure_rate)} failed`],
    ['agents', `${agents.connected} connected, ${agents.free} of ${agents.slots} slots free`],
    ...(summary.attention ?? []).map(
      ({ kind, name, state, detail }) => ['needs', yellow(`${kind} ${name} is ${state}: ${detail}`)] as const,
    ),
  ]);
  return [rows, formatWaits(summary, output), formatFailures(summary, output)]
    .filter((block) => block !== '')
    .join('\n\n');
}

const formatPercent = (rate: number): string => `${Math.round(rate * 1000) / 10} %`;

function formatWaits({ waits }: Summary, output: Output): string {
  if (waits.oldest.length === 0) return '';
  const rows = waits.oldest.map(({ run_id, workflow, kind, name, since }) => [
    run_id,
    workflow,
    kind,
    name,
    output.time(since),
  ]);
  return output.table(['waits', 'workflow', 'for', 'name', 'since'], rows);
}

function formatFailures({ failures }: Summary, output: Output): string {
  if (failures.length === 0) return '';
  const rows = failures.map(({ run_id, workflow, finished_at, code, message }) => [
    run_id,
    workflow,
    output.time(finished_at),
    `${message.split('\n')[0]} (${code})`,
  ]);
  return output.table(['failed', 'workflow', 'at', 'error'], rows);
}
