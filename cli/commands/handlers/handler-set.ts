import { type FlagValues, type Invocation, type Run, usageError } from '../../command.ts';
import { readDocument, readJson, readPairs } from '../../input.ts';
import { kindOf } from '../runs/document.ts';
import type { HandlerView } from './view.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  const name = args[0]!;
  const list = (flag: string) => flags[flag] as readonly string[];
  const on = list('on').flatMap((patterns) => patterns.split(',').map((pattern) => pattern.trim()));
  if (on.length === 0) throw usageError('--on is missing', "name the types that start it, like --on 'run.*'");
  const env = readPairs(list('env'), 'env');
  const body = {
    on,
    ...(flags.when === undefined ? {} : { when: flags.when }),
    ...(await documentOf(args[1], flags, invocation)),
    ...(Object.keys(env).length > 0 ? { env } : {}),
    ...(list('tag').length > 0 ? { tags: list('tag') } : {}),
    ...(list('requires').length > 0 ? { requires: list('requires') } : {}),
    ...(list('credential').length > 0 ? { credentials: readPairs(list('credential'), 'credential') } : {}),
    ...(list('cancelOn').length > 0 ? { cancel_on: list('cancelOn') } : {}),
  };
  const api = await client();
  const path = api.scoped(`/handlers/${encodeURIComponent(name)}`);
  const { status, body: answer } = await api.answer({ method: 'PUT', path, body });
  output.data(answer, () => '');
  const types = (answer as HandlerView).on.join(', ');
  output.note(`handler ${name} is ${status === 201 ? 'registered' : 'replaced'}; it serves ${types}`);
  return undefined;
};

/** A file, a stored graph or a single node: one of them. */
async function documentOf(file: string | undefined, flags: FlagValues, invocation: Invocation) {
  const forms = [
    ...(file === undefined ? [] : ['the file']),
    ...(['graph', 'node'] as const).filter((form) => flags[form] !== undefined).map((form) => `--${form}`),
  ];
  if (forms.length !== 1) {
    const given = forms.length === 0 ? 'nothing says what runs' : `${forms.join(' and ')} cannot stand together`;
    throw usageError(given, 'name a file, --graph <name>, or --node <kind> with --config <json>');
  }
  if (flags.config !== undefined && flags.node === undefined)
    throw usageError('--config is of a single node', 'give --node <kind> with it');
  if (file === undefined && (flags.credential as readonly string[]).length > 0)
    throw usageError('--credential is of a script', 'a graph or a node names its credentials itself');
  if (flags.graph !== undefined) return { graph: flags.graph };
  if (flags.node !== undefined) return nodeOf(flags, invocation);
  const { filename, source } = await readDocument(file!, invocation);
  return {
    source,
    ...(filename === undefined ? {} : { filename }),
    ...(flags.as === undefined ? {} : { kind: kindOf(String(flags.as)) }),
    ...(flags.interpreter === undefined ? {} : { interpreter: flags.interpreter }),
  };
}

async function nodeOf(flags: FlagValues, invocation: Invocation) {
  if (flags.config === undefined) return { node: flags.node };
  return { node: flags.node, config: await readJson(String(flags.config), 'config', invocation) };
}
