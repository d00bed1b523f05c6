import { readJson, type Run } from '../../../cli/contract.ts';

export const run: Run = async ({ args, flags, output, client, stdin }) => {
  const api = await client();
  const [run_id = '', name = ''] = args;
  const body = flags.payload === undefined ? null : await readJson(String(flags.payload), 'payload', { stdin });
  const path = api.scoped(`/runs/${encodeURIComponent(run_id)}/signals/${encodeURIComponent(name)}`);
  const key = flags.idempotencyKey;
  const headers = key === undefined ? undefined : { 'idempotency-key': String(key) };
  await api.json({ method: 'POST', path, body, headers });
  output.data({ run_id, signal: name }, () => '');
  output.note(`signal ${name} sent to ${run_id}`);
  return undefined;
};
