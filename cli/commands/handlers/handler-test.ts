import { type Run, usageError } from '../../command.ts';

interface Tested {
  handler: string;
  event: string;
  type: string;
  pattern?: string;
  when?: { source: string; value?: boolean; error?: string };
  outcome: string;
  reason: string;
  run_id?: string;
}

export const run: Run = async ({ args, flags, output, client }) => {
  if (flags.event === undefined)
    throw usageError('--event is missing', 'give the id of an event; svc events ls lists them');
  const api = await client();
  const answer = await api.json<Tested>({
    method: 'POST',
    path: api.scoped(`/handlers/${encodeURIComponent(args[0]!)}/test`),
    body: { event: flags.event },
  });
  output.data(answer, () => describe(answer));
  return undefined;
};

function describe({ event, type, pattern, when, outcome, reason, run_id }: Tested): string {
  const rows: [string, string | undefined][] = [
    ['event', `${event} (${type})`],
    ['pattern', pattern ?? 'none fits'],
    ['when', when && `${when.source} → ${when.error ?? when.value}`],
    ['outcome', outcome],
    ['reason', reason],
    ['run', run_id],
  ];
  return rows
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name.padEnd(7)} ${value}`)
    .join('\n');
}
