import { writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  type Api,
  CliError,
  Exit,
  type Invocation,
  type Run,
  runTool,
  usageError,
  waitUntil,
} from '../../../../cli/contract.ts';
import type { PreparedExample, UnmaskedResponse } from '../local/tool-answers.ts';

const ENDS: readonly string[] = ['succeeded', 'failed', 'cancelled'];

export const run: Run = async (invocation) => {
  const { args, flags, output, env } = invocation;
  if (flags.from === undefined)
    throw usageError('--from is missing', 'set the manifest that gets the example, such as --from ./tickets.json');
  const tool = { plugin: 'connectors', tool: 'connector-record', hides: ['SVC_CONNECTORS'] };
  const prepared = (await runTool(tool, { args, flags, env })).json as PreparedExample;
  const { file, manifest, action, example, secrets } = prepared;
  const response = await sendCall(invocation, prepared);
  // The output of such a node is the list of all pages, which no single response has.
  const is_page = manifest.actions?.[action]?.paginate === undefined;
  const unmasked: UnmaskedResponse = { response: JSON.stringify(response), secrets };
  const mask = async () =>
    (await runTool({ ...tool, tool: 'connector-mask' }, { env, input: unmasked })).json as object;
  const recorded = { ...example, ...(is_page ? { response: { ...(await mask()) } } : {}) };
  const examples = [...(manifest.examples ?? []), recorded];
  await writeFile(file, `${JSON.stringify({ ...manifest, examples }, null, 2)}\n`);
  output.data(recorded, () => `${file}: example ${examples.length} of ${args[0]}, answered ${response.status}`);
  output.note(`next: read the example for values that others must not see, then svc connector check ${flags.from}`);
  return undefined;
};

/** Runs the action as a node, on a server that has the same connector. */
async function sendCall(
  { flags, client: connect, output }: Invocation,
  { manifest, action, call }: PreparedExample,
): Promise<{ status: number }> {
  const client = await connect();
  const present = await client.json<Api.ConnectorManifest>({ path: client.scoped(`/connectors/${manifest.name}`) });
  if (!isDeepStrictEqual(present.actions?.[action], manifest.actions?.[action]))
    throw new CliError(
      Exit.failed,
      'connector_differs',
      `the server has another version of ${manifest.name}.${action}`,
      `start it with SVC_CONNECTORS=${flags.from}, then record again; nothing was sent`,
    );
  const config = { ...call, credential: flags.credential };
  const { run_id } = await client.json<{ run_id: string }>({
    method: 'POST',
    path: client.scoped('/runs'),
    body: { node: `${manifest.name}.${action}`, config },
    expects: ['run_id'],
  });
  output.note(`run ${run_id}`);
  const path = client.scoped(`/runs/${run_id}`);
  const record = await waitUntil<Api.RunRecord>(client, path, ({ status }) => ENDS.includes(status), output);
  if (record.status === 'succeeded') return record.output as unknown as { status: number };
  const reason = record.error?.message ?? `the run is ${record.status}`;
  throw new CliError(Exit.failed, record.error?.code ?? record.status, reason, 'nothing was recorded');
}
