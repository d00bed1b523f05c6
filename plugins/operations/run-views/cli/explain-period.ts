import { type Api, type Client, formatSpan, type Output } from '../../../../cli/contract.ts';

type Insights = Api.Insights;

/** `svc explain --since`: what cost time, each finding with a command. */
export async function explainPeriod(api: Client, since: string, output: Output): Promise<undefined> {
  const insights = await api.json<Insights>({ path: api.scoped('/insights'), query: { since } });
  output.data(insights, () => formatInsights(insights, output));
  return undefined;
}

function formatInsights(insights: Insights, output: Output): string {
  const { waits, retries, slower, handlers, runs, since, complete } = insights;
  const sections = [
    section('Waits, most time first', waits, ({ workflow, kind, name, count, open, total_ms, longest_ms }) => {
      const still = open === 0 ? '' : `, ${open} still waiting`;
      return `${workflow} waited for ${describe(kind, name)}: ${formatSpan(total_ms)} in ${plural(count, 'wait')}, at most ${formatSpan(longest_ms)}${still}`;
    }),
    section('Retries that never helped', retries, ({ workflow, kind, name, calls, attempts, lost_ms }) => {
      const spent = `${plural(attempts, 'attempt')} of ${plural(calls, 'call')} failed, which took ${formatSpan(lost_ms)}`;
      return `${workflow}, ${describe(kind, name)}: ${spent}`;
    }),
    section('Slower than before', slower, ({ workflow, kind, name, before_ms, after_ms, samples }) => {
      const change = `${formatSpan(before_ms)} → ${formatSpan(after_ms)} (medians of ${samples} calls)`;
      return `${workflow}, ${describe(kind, name)}: ${change}`;
    }),
    section('Handlers that started no run', handlers, ({ name, on, last_run_at }) => {
      const last = last_run_at === null ? 'never' : `last ${output.time(last_run_at)}`;
      return `${name} (on ${on.join(', ')}): ${last}`;
    }),
  ].filter((text) => text !== '');
  const read = `${plural(runs, 'run')} since ${output.time(since)}${complete ? '' : '; older runs, or calls of long runs, were not read'}`;
  return [read, ...(sections.length === 0 ? ['Nothing stands out.'] : sections)].join('\n\n');
}

function section<Finding extends { next: readonly string[] }>(
  title: string,
  findings: readonly Finding[],
  describeFinding: (finding: Finding) => string,
): string {
  if (findings.length === 0) return '';
  const lines = findings.flatMap((finding) => [
    `  ${describeFinding(finding)}`,
    ...finding.next.map((hint) => `    → ${hint}`),
  ]);
  return [title, ...lines].join('\n');
}

const describe = (kind: string, name: string): string =>
  kind === 'agent' ? 'an agent' : name === '' || name === kind ? kind : `${kind} ${name}`;

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
