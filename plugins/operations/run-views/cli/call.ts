import {
  Exit,
  type Invocation,
  readDocument,
  readInput,
  readJson,
  rememberSubmitted,
  type Run,
  usageError,
  withInputFlags,
} from '../../../../cli/contract.ts';
import { describeRun } from './describe.ts';
import { exitCodeOf, waitForEnd } from './wait-for-end.ts';

/** `svc call node`: also inside of scripts, where the verb of that name takes its place. */
export const callNode: Run = async (invocation) => {
  const config = await readJsonFlag(invocation, 'config');
  return callWorkflow(invocation, { node: invocation.args[0], config });
};

export const callGraph: Run = async (invocation) => {
  const [name] = invocation.args;
  const { definition } = invocation.flags;
  if ((name === undefined) === (definition === undefined))
    throw usageError(
      name === undefined ? 'name a graph' : "--definition replaces the graph's name; use only one of them",
      'svc call graph <name>, or svc call graph --definition <file>',
    );
  if (definition === undefined) return callWorkflow(invocation, { graph: name });
  return callWorkflow(invocation, { kind: 'graph', ...(await readDocument(String(definition), invocation)) });
};

export const callFunction: Run = (invocation) => callWorkflow(invocation, { function: invocation.args[0] });

const readJsonFlag = async (invocation: Invocation, flag: string): Promise<unknown> =>
  invocation.flags[flag] === undefined ? undefined : readJson(String(invocation.flags[flag]), flag, invocation);

async function callWorkflow(invocation: Invocation, workflow: Record<string, unknown>): Promise<number> {
  const { flags, output } = invocation;
  const input = (flags.input ?? []) as readonly string[];
  if ([flags.config, flags.definition, ...input].filter((given) => given === '-').length > 1)
    throw usageError(
      'only one option can read standard input',
      'use - for only one of them; pass the others as @file or on the command line',
    );
  const written = input.length === 0 ? undefined : await readInput(input, 'input', invocation);
  const given = withInputFlags(written, invocation.inputs);
  const body = { ...workflow, input: given, tags: flags.tag, subject: flags.subject };
  const client = await invocation.client();
  const { run_id } = await client.json<{ run_id: string }>({
    method: 'POST',
    path: client.scoped('/runs'),
    body,
    expects: ['run_id'],
  });
  await rememberSubmitted(client, invocation, run_id);
  output.note(`run ${run_id}`);
  const run = await waitForEnd(client, run_id, output);
  if (output.json) output.data(run, () => '');
  else if (exitCodeOf(run) === Exit.ok) output.write(`${JSON.stringify(run.output ?? null)}\n`);
  else output.note(describeRun(run, output));
  return exitCodeOf(run);
}
