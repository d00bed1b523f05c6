import { type Api, readJson, type Run } from '../../../../cli/contract.ts';
import { isSimilar } from '../explain/similar-names.ts';
import { joinWords } from '../explain/eligible-agents.ts';

export const run: Run = async ({ args, flags, output, client, stdin }) => {
  const api = await client();
  const [run_id = '', name = ''] = args;
  const body = flags.payload === undefined ? null : await readJson(String(flags.payload), 'payload', { stdin });
  const path = api.scoped(`/runs/${encodeURIComponent(run_id)}/signals/${encodeURIComponent(name)}`);
  const key = flags.idempotencyKey;
  const headers = key === undefined ? undefined : { 'idempotency-key': String(key) };
  const sent = await api.json<Api.SentSignal>({ method: 'POST', path, body, headers });
  output.data({ run_id, signal: name, state: sent.state, waits_for: sent.waits_for }, () => '');
  for (const line of describeQueuedSignal(run_id, sent)) output.note(line);
  return undefined;
};

/** A misspelt name shows at once, and not by a run that goes on waiting. */
function describeQueuedSignal(run_id: string, { name, state, waits_for }: Api.SentSignal): string[] {
  if (state === 'taken') return [`Sent signal ${name} to ${run_id}`];
  const queued = `Queued signal ${name}: nothing in ${run_id} is waiting for it`;
  const near = waits_for.find((other) => isSimilar(other, name));
  if (near !== undefined)
    return [queued, `  → did you mean ${near}? The run is waiting for it: svc signal ${run_id} ${near}`];
  return waits_for.length === 0 ? [queued] : [queued, `  → the run is waiting for ${joinWords(waits_for)}`];
}
