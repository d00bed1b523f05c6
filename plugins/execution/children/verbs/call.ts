import { basename } from 'node:path';
import { verbUsage } from '../../replay/contract.ts';
import {
  toOutcome,
  type Arguments,
  checkText,
  defineVerb,
  requirePositionals,
  readArguments,
  readNamedFile,
  type VerbCall,
} from '../../scripts/contract.ts';
import { callHelp } from '../cli/verbs.ts';
import { parseExact } from '../../../platform/schema/contract.ts';

const DOCUMENT_BYTES = 1024 * 1024;
const INPUT_BYTES = 2 * 1024 * 1024;
const MAX_NAME_LENGTH = 128;

/** The workflow to call, and the name of its record. `args` is called only if the run really starts. */
interface ParsedCall {
  name: string;
  args: () => Promise<{ [member: string]: unknown }>;
}

/**
 * `svc call node <kind> --config <json>`, `svc call graph <name>`, `svc call graph --definition <file|->` and
 * `svc call function <name>` start a separate run and return its output. The script waits for it without a process.
 */
export const callVerb = defineVerb(callHelp, async (call) => {
  const parsed = readArguments(call.argv, ['config', 'definition', 'input']);
  const [what] = parsed.positionals;
  const parse = what === undefined ? undefined : FORMS.get(what);
  if (parse === undefined)
    throw verbUsage(
      what === undefined
        ? 'node, graph or function is missing'
        : `"${what.slice(0, 60)}" is not node, graph or function`,
    );
  // Standard input must be read even on replay.
  const stdin = await readPipedInput(call, parsed);
  const { name, args } = parse(call, parsed, stdin);
  const { input } = parsed.options;
  const all = async () => ({ ...(await args()), input: input && (await readJson(call, 'input', input, stdin)) });
  return toOutcome(await call.pass.wait({ kind: 'call', name }, { args: all }));
});

type Stdin = Buffer | undefined;

async function readPipedInput(call: VerbCall, { options }: Arguments): Promise<Stdin> {
  const readers = Object.entries(options).filter(([, value]) => value === '-');
  if (readers.length > 1)
    throw verbUsage(`${readers.map(([name]) => `--${name}`).join(' and ')} cannot both read standard input`);
  return readers.length === 0 ? undefined : call.stdin(INPUT_BYTES);
}

function parseNodeCall(call: VerbCall, parsed: Arguments, stdin: Stdin): ParsedCall {
  const { config, definition } = parsed.options;
  if (definition !== undefined) throw verbUsage('--definition is only for graphs; use --config for a node');
  const [, kind] = requirePositionals(parsed, ['node', 'kind']);
  const args = async () => ({ node: kind, config: config && (await readJson(call, 'config', config, stdin)) });
  return { name: `node ${checkText(kind!, 'the kind of a node', MAX_NAME_LENGTH)}`, args };
}

function parseGraphCall(call: VerbCall, parsed: Arguments, stdin: Stdin): ParsedCall {
  const { config, definition: file } = parsed.options;
  if (config !== undefined) throw verbUsage('--config is only for nodes; use --input for a graph');
  if (file === undefined) {
    const [, name] = requirePositionals(parsed, ['graph', 'name']);
    return {
      name: `graph ${checkText(name!, 'the name of a graph', MAX_NAME_LENGTH)}`,
      args: async () => ({ graph: name }),
    };
  }
  requirePositionals(parsed, ['graph']);
  const args = async () => {
    const source = decodeText(await readBytes(call, file, stdin, DOCUMENT_BYTES), '--definition');
    return { kind: 'graph', source, filename: file === '-' ? undefined : call.pass.mask(basename(file)) };
  };
  return { name: 'graph', args };
}

function parseFunctionCall(_call: VerbCall, parsed: Arguments): ParsedCall {
  const { config, definition } = parsed.options;
  if (config !== undefined || definition !== undefined)
    throw verbUsage('a function has no --config and no --definition; use --input');
  const [, name] = requirePositionals(parsed, ['function', 'name']);
  return {
    name: `function ${checkText(name!, 'the name of a function', MAX_NAME_LENGTH)}`,
    args: async () => ({ function: name }),
  };
}

const FORMS = new Map([
  ['node', parseNodeCall],
  ['graph', parseGraphCall],
  ['function', parseFunctionCall],
]);

/** Reads the value of an option: JSON, `-` for standard input, or `@file`. Throws `verb_usage`. */
async function readJson(call: VerbCall, option: string, value: string, stdin: Stdin): Promise<unknown> {
  const file = value.startsWith('@') ? value.slice(1) : undefined;
  const text =
    file === undefined && value !== '-'
      ? value
      : decodeText(await readBytes(call, file ?? '-', stdin, INPUT_BYTES), `--${option}`);
  try {
    return parseExact(text) as unknown;
  } catch (error) {
    throw verbUsage(`--${option} is not JSON: ${(error as Error).message}`);
  }
}

const readBytes = async (call: VerbCall, file: string, stdin: Stdin, limit: number): Promise<Buffer> =>
  file === '-' ? stdin! : readNamedFile(call, file, limit);

function decodeText(bytes: Buffer, option: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw verbUsage(`the content of ${option} is not UTF-8 text`);
  }
}
