import { setTimeout as delay } from 'node:timers/promises';
import { type Api, type Client, CliError, Exit, type Output, readJson, type Run } from '../../../../cli/contract.ts';

/** Below the time after which proxies end a silent request. */
const WAIT_S = 30;
const RETRY_MS = 500;

export const run: Run = async ({ args, flags, output, client, stdin }) => {
  const api = await client();
  const [run_id = '', name = '', text] = args;
  const payload = text === undefined ? null : await readJson(text, 'payload', { stdin });
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
  const ask = await waitForAnswer(api, `${path}/${encodeURIComponent(sent.ask_id)}`, output);
  if (ask.state === 'answered') output.data(ask, () => JSON.stringify(ask.answer ?? null));
  else if (output.json) output.data(ask, () => '');
  else output.note(describeEnd(run_id, ask));
  if (ask.state === 'timed_out') return Exit.timedOut;
  return ask.state === 'answered' ? undefined : Exit.failed;
};

/** The ask as soon as it is no longer open. Waits for a server that is away. */
async function waitForAnswer(api: Client, path: string, output: Output): Promise<Api.Ask> {
  for (let reported = false; ; ) {
    const sent_at = performance.now();
    try {
      const ask = await api.json<Api.Ask>({ path, query: { wait: `${WAIT_S}s` } });
      if (ask.state !== 'open') return ask;
      reported = false;
    } catch (error) {
      if (!(error instanceof CliError) || !isTemporary(error)) throw error;
      if (!reported) output.note(`${error.message}; waiting for it`);
      reported = true;
    }
    // A server that stops answers early.
    if (performance.now() - sent_at < WAIT_S * 1000) await delay(RETRY_MS);
  }
}

const isTemporary = ({ exit, code }: CliError): boolean =>
  exit === Exit.unreachable || code === 'rate_limited' || code === 'http_504';

function describeEnd(run_id: string, { name, state, deadline, ended_at, delivered_at }: Api.Ask): string {
  if (state === 'run_ended')
    return `${run_id} ended at ${ended_at} without an answer to ${name}\n  → svc status ${run_id} shows how it ended`;
  const how = delivered_at === undefined ? 'nothing in it waited for the ask' : 'it took the ask and did not answer';
  return `${run_id} did not answer ${name} until ${deadline}: ${how}\n  → svc explain ${run_id} shows what it is doing`;
}
