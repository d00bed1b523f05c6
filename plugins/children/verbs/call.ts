import { basename } from 'node:path';
import { verbUsage } from '../../replay/contract.ts';
import {
  answer,
  type Arguments,
  checkText,
  defineVerb,
  exactly,
  readArguments,
  readGivenFile,
  type VerbCall,
} from '../../scripts/contract.ts';
import { callHelp } from '../cli/verbs.ts';
import { parseExact } from '../../schema/contract.ts';

const DOCUMENT_BYTES = 1024 * 1024;
const INPUT_BYTES = 2 * 1024 * 1024;
const MAX_NAME_LENGTH = 128;

/** What is called, and how its record is named. `args` is asked for only when the run is really made. */
interface Called {
  name: string;
  args: () => Promise<{ [member: string]: unknown }>;
}

/**
 * `svc call node <kind> --config <json>`, `svc call graph <name>`, `svc call graph --definition <file|->`: a run of its
 * own, whose output is the answer. The script waits for it without a process.
 */
export const callVerb = defineVerb(callHelp, async (call) => {
  const given = readArguments(call.argv, ['config', 'definition', 'input']);
  const [what] = given.positionals;
  if (what !== 'node' && what !== 'graph')
    throw verbUsage(what === undefined ? 'node or graph is missing' : `"${what.slice(0, 60)}" is not node or graph`);
  // What is piped in must be taken, replay or not.
  const stdin = await pipedInto(call, given);
  const { name, args } = what === 'node' ? node(call, given, stdin) : graph(call, given, stdin);
  const { input } = given.options;
  const all = async () => ({ ...(await args()), input: input && (await json(call, 'input', input, stdin)) });
  return answer(await call.pass.wait({ kind: 'call', name }, { args: all }));
});

type Stdin = Buffer | undefined;

async function pipedInto(call: VerbCall, { options }: Arguments): Promise<Stdin> {
  const readers = Object.entries(options).filter(([, value]) => value === '-');
  if (readers.length > 1)
    throw verbUsage(`${readers.map(([name]) => `--${name}`).join(' and ')} cannot both read standard input`);
  return readers.length === 0 ? undefined : call.stdin(INPUT_BYTES);
}

function node(call: VerbCall, given: Arguments, stdin: Stdin): Called {
  const { config, definition } = given.options;
  if (definition !== undefined) throw verbUsage('--definition belongs to graphs; a node has its --config');
  const [, kind] = exactly(given, ['node', 'kind']);
  const args = async () => ({ node: kind, config: config && (await json(call, 'config', config, stdin)) });
  return { name: `node ${checkText(kind!, 'the kind of a node', MAX_NAME_LENGTH)}`, args };
}

function graph(call: VerbCall, given: Arguments, stdin: Stdin): Called {
  const { config, definition: file } = given.options;
  if (config !== undefined) throw verbUsage('--config belongs to nodes; a graph has an --input');
  if (file === undefined) {
    const [, name] = exactly(given, ['graph', 'name']);
    return {
      name: `graph ${checkText(name!, 'the name of a graph', MAX_NAME_LENGTH)}`,
      args: async () => ({ graph: name }),
    };
  }
  exactly(given, ['graph']);
  const args = async () => {
    const source = textOf(await bytesOf(call, file, stdin, DOCUMENT_BYTES), '--definition');
    return { kind: 'graph', source, ...(file === '-' ? {} : { filename: call.pass.mask(basename(file)) }) };
  };
  return { name: 'graph', args };
}

/** The value of an option: JSON, `-` for standard input, or `@file`. Throws `verb_usage`. */
async function json(call: VerbCall, option: string, given: string, stdin: Stdin): Promise<unknown> {
  const file = given.startsWith('@') ? given.slice(1) : undefined;
  const text =
    file === undefined && given !== '-'
      ? given
      : textOf(await bytesOf(call, file ?? '-', stdin, INPUT_BYTES), `--${option}`);
  try {
    return parseExact(text) as unknown;
  } catch (error) {
    throw verbUsage(`--${option} is not JSON: ${(error as Error).message}`);
  }
}

const bytesOf = async (call: VerbCall, file: string, stdin: Stdin, limit: number): Promise<Buffer> =>
  file === '-' ? stdin! : readGivenFile(call, file, limit);

function textOf(bytes: Buffer, option: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw verbUsage(`what ${option} names is not UTF-8 text`);
  }
}
