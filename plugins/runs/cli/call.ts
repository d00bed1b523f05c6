import {
  Exit,
  type Invocation,
  readDocument,
  readInput,
  readJson,
  rememberSubmitted,
  type Run,
  usageError,
} from '../../../cli/contract.ts';
import { describe } from './describe.ts';
import { exitOf, untilOver } from './until-over.ts';

/** `svc call node`: also inside of scripts, where the verb of that name takes its place. */
export const callNode: Run = async (invocation) => {
  const config = await jsonFlag(invocation, 'config');
  return called(invocation, { node: invocation.args[0], config });
};

export const callGraph: Run = async (invocation) => {
  const [name] = invocation.args;
  const { definition } = invocation.flags;
  if ((name === undefined) === (definition === undefined))
    throw usageError(
      name === undefined ? 'no graph was given' : '--definition stands in place of the name of a graph',
      'svc call graph <name>, or svc call graph --definition <file>',
    );
  if (definition === undefined) return called(invocation, { graph: name });
  return called(invocation, { kind: 'graph', ...(await readDocument(String(definition), invocation)) });
};

const jsonFlag = async (invocation: Invocation, flag: string): Promise<unknown> =>
  invocation.flags[flag] === undefined ? undefined : readJson(String(invocation.flags[flag]), flag, invocation);

async function called(invocation: Invocation, workflow: Record<string, unknown>): Promise<number> {
  const { flags, output } = invocation;
  const input = (flags.input ?? []) as readonly string[];
  if ([flags.config, flags.definition, ...input].filter((given) => given === '-').length > 1)
    throw usageError(
      'only one option can read standard input',
      'put the other one into a file, or on the command line',
    );
  const given = input.length === 0 ? undefined : await readInput(input, 'input', invocation);
  const body = { ...workflow, input: given, tags: flags.tag, subject: flags.subject };
  const client = await invocation.client();
  const { run_id } = await client.json<{ run_id: string }>({ method: 'POST', path: client.scoped('/runs'), body });
  await rememberSubmitted(client, invocation, run_id);
  output.note(`run ${run_id}`);
  const run = await untilOver(client, run_id, output);
  if (output.json) output.data(run, () => '');
  else if (exitOf(run) === Exit.ok) output.write(`${JSON.stringify(run.output ?? null)}\n`);
  else output.note(describe(run, output));
  return exitOf(run);
}
