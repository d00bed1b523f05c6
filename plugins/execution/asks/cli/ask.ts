import { type Api, Exit, readJson, type Run, waitUntil } from '../../../../cli/contract.ts';

export const run: Run = async ({ args, flags, output, client, stdin }) => {
  const api = await client();
  const [run_id = '', name = '', text] = args;
  const payload = text === undefined ? null : await readJson(text, '<payload>', { stdin });
  const path = api.scoped(`/runs/${encodeURIComponent(run_id)}/asks`);
  const key = flags.idempotencyKey;
  const sent = await api.json<Api.Ask>({
    method: 'POST',
    path,
    body: { name, payload, timeout: flags.timeout },
    headers: key === undefined ? undefined : { 'idempotency-key': String(key) },
    expects: ['ask_id'],
  });
  if (flags.noWait) {
    output.data(sent, () => sent.ask_id);
    return undefined;
  }
  const one = `${path}/${encodeURIComponent(sent.ask_id)}`;
  const ask = await waitUntil<Api.Ask>(api, one, ({ state }) => state !== 'open', output);
  if (ask.state === 'answered') output.data(ask, () => JSON.stringify(ask.answer ?? null));
  else if (output.json) output.data(ask, () => '');
  else output.note(describeEnd(run_id, ask));
  if (ask.state === 'timed_out') return Exit.timedOut;
  return ask.state === 'answered' ? undefined : Exit.failed;
};

function describeEnd(run_id: string, { name, state, deadline, ended_at, delivered_at }: Api.Ask): string {
  if (state === 'run_ended')
    return `${run_id} ended at ${ended_at} without an answer to ${name}\n  → svc status ${run_id} shows how it ended`;
  const how =
    delivered_at === undefined ? 'nothing in the run waited for the ask' : 'the run took the ask but did not answer it';
  return `${run_id} did not answer ${name} by ${deadline}: ${how}\n  → svc explain ${run_id} shows what it is doing`;
}
