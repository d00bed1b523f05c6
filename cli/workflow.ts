import type { Flag, Flags, Invocation } from './command.ts';
import { bundleDocument } from './bundled.ts';
import { usageError } from './errors.ts';
import { type Contents, collectIncluded, includeRejected, withContents } from './included.ts';
import { readDocument, readInput, readJson, readPairs } from './input.ts';
import { isPipeline, embedFiles } from './pipeline-files.ts';
import { workflowRoot } from './root.ts';

/** The flag for an input: members of an object, or any JSON. */
export const INPUT_FLAG = {
  type: 'string',
  value: 'k=v…',
  many: true,
  pairs: true,
  summary: 'input: k=text k:=json…, or JSON, @file, - for standard input',
} as const satisfies Flag;

/** The flags that say what a document is and what its program gets. */
export const DOCUMENT_FLAGS = {
  as: {
    type: 'string',
    choices: ['script', 'pipeline', 'yaml', 'graph'],
    summary: 'kind of workflow (default: by file name)',
  },
  interpreter: { type: 'string', value: '<cmd>', summary: 'interpreter, instead of the one for the file extension' },
  include: {
    type: 'string',
    value: '<path>',
    many: true,
    summary: 'file or folder that the script needs, relative to its folder',
  },
  root: {
    type: 'string',
    value: '<folder>',
    summary: "folder that contains all of its files (default: the workflow's folder)",
  },
  env: { type: 'string', value: 'K=V', many: true, summary: 'environment variable for the workflow' },
  input: INPUT_FLAG,
} as const satisfies Flags;

/** The flags of every command that sends a workflow to the server. */
export const WORKFLOW_FLAGS = {
  ...DOCUMENT_FLAGS,
  graph: { type: 'string', value: '<name>', summary: 'a stored graph instead of a file' },
  node: { type: 'string', value: '<kind>', from: 'graph types', summary: 'a single node instead of a file' },
  function: {
    type: 'string',
    value: '<name>',
    from: 'functions ls',
    summary: 'a workflow that workers serve, instead of a file',
  },
  config: { type: 'string', value: '<json>', summary: 'configuration of the node; - reads standard input' },
  tag: { type: 'string', value: '<t>', many: true, summary: 'tag of the run; k:v tags are also available as a map' },
  subject: { type: 'string', value: '<key>', summary: "the run's subject, compared with the keys of events" },
  requires: { type: 'string', value: '<cap>', many: true, summary: 'capability that the agent must have' },
  credential: {
    type: 'string',
    value: 'ENV=name',
    many: true,
    summary: 'variable that gets the value of a credential (scripts only)',
  },
  'cancel-on': {
    type: 'string',
    value: '<type>',
    many: true,
    summary: 'event type that cancels the run',
  },
  timeout: { type: 'string', value: '<duration>', summary: 'fail the run after this time, including waits' },
  checkout: {
    type: 'boolean',
    summary: "start in a checkout of the forge event's repository (scripts only)",
  },
} as const satisfies Flags;

type Source = Pick<Invocation, 'flags' | 'stdin' | 'words' | 'inputs'> & {
  output?: Pick<Invocation['output'], 'note'>;
};

/** `--as yaml` and `--as pipeline` are the same. */
const kindOf = (as: unknown) => (as === 'yaml' ? 'pipeline' : as);

const camel = (flag: string) => flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Returns the value of a flag; undefined when it is unset, an empty list, or a switch that is off. */
function flagValue({ flags }: Source, flag: string) {
  const value = flags[camel(flag)];
  return value === false || (Array.isArray(value) && value.length === 0) ? undefined : value;
}

function scriptOf(path: string, as: unknown, text: string, source: Source) {
  const env = readPairs((flagValue(source, 'env') ?? []) as readonly string[], 'env');
  return { path, source: text, as, interpreter: flagValue(source, 'interpreter'), env };
}

/** Reads a document: a script together with what it imports, and a pipeline together with the files that it runs. */
async function readWithFiles(
  file: string,
  as: unknown,
  source: Source,
  purpose: 'submitted' | 'written',
  contents: Contents,
) {
  const { output } = source;
  const root = await workflowRoot(file, flagValue(source, 'root'));
  const document = await readDocument(file, source, 'workflow', root);
  const includes = (flagValue(source, 'include') ?? []) as readonly string[];
  if (isPipeline(file, as)) {
    if (includes.length > 0) throw includeRejected('a pipeline');
    const embedded = await embedFiles(document.source, file === '-' ? './-' : file, { contents, root, output });
    return { ...document, source: embedded };
  }
  const files = await collectIncluded(file, includes, { contents, root, output });
  if (purpose === 'written') return { ...document, files };
  return { ...document, source: await bundleDocument({ ...scriptOf(file, as, document.source, source), root }), files };
}

/**
 * Builds the workflow of a request body from a file, `--graph` or `--node`, and from those of the flags above that the command
 * has. For a submit, a script of several files is bundled into one; as `written`, it stays as its author wrote it. Call
 * `sendIncluded` to upload the files that it includes. Throws a usage error unless exactly one of the three is given.
 */
export async function readWorkflow(
  file: string | undefined,
  source: Source,
  purpose: 'submitted' | 'written' = 'submitted',
): Promise<Record<string, unknown>> {
  const form = workflowForm(file, source);
  const value = (flag: string) => flagValue(source, flag);
  const pairs = (flag: string) => {
    const list = value(flag) as readonly string[] | undefined;
    return list && readPairs(list, flag);
  };
  const json = async (flag: string) =>
    value(flag) === undefined ? undefined : readJson(String(value(flag)), flag, source);
  if (form !== 'file' && value('credential') !== undefined)
    throw usageError('--credential needs a script', 'a graph or a node refers to credentials in its own document');
  if (form !== 'file' && source.words !== undefined && source.words.length > 0)
    throw usageError('arguments after -- need a script', `use --input to pass an input to the ${form}`);
  if (form !== 'file' && value('include') !== undefined) throw includeRejected(`a ${form}`);
  if (form !== 'file' && value('root') !== undefined)
    throw usageError('--root needs a file', `files cannot be included with a ${form}`);
  const contents: Contents = new Map();
  const body = {
    ...(file === undefined ? {} : await readWithFiles(file, value('as'), source, purpose, contents)),
    graph: value('graph'),
    function: value('function'),
    node: value('node'),
    config: await json('config'),
    kind: kindOf(value('as')),
    interpreter: value('interpreter'),
    env: pairs('env'),
    input: await inputOf(file, source),
    args: source.words !== undefined && source.words.length > 0 ? source.words : undefined,
    tags: value('tag'),
    subject: value('subject'),
    requires: value('requires'),
    credentials: pairs('credential'),
    cancel_on: value('cancel-on'),
    timeout: value('timeout'),
    checkout: value('checkout'),
  };
  return withContents(body, contents);
}

async function inputOf(file: string | undefined, source: Source): Promise<unknown> {
  const written = flagValue(source, 'input') as readonly string[] | undefined;
  if (written === undefined) return withInputFlags(undefined, source.inputs);
  if (written.includes('-') && file === '-')
    throw usageError(
      'standard input cannot be both the workflow and its input',
      'pass one of them as a file: --input @file',
    );
  return withInputFlags(await readInput(written, 'input', source), source.inputs);
}

/** Adds the inputs that were written as flags of their own to what `--input` says. Throws a usage error. */
export function withInputFlags(input: unknown, inputs: Invocation['inputs']): unknown {
  if (inputs === undefined || Object.keys(inputs).length === 0) return input;
  if (input === undefined) return inputs;
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw usageError(
      '--input is not an object, so flags cannot add to it',
      'set the whole input with --input, or with flags',
    );
  const twice = Object.keys(inputs).find((name) => Object.hasOwn(input, name));
  if (twice === undefined) return { ...input, ...inputs };
  throw usageError(`the input ${twice} is set by --input and by a flag`, 'set it once');
}

/** Like `readWorkflow`, but returns undefined when neither a document nor a workflow flag is given. */
export async function readOptionalWorkflow(file: string | undefined, source: Source) {
  const flag = Object.keys(WORKFLOW_FLAGS).find((name) => flagValue(source, name) !== undefined);
  if (file === undefined && flag === undefined) return undefined;
  const document = file ?? ['graph', 'node', 'function'].find((form) => flagValue(source, form) !== undefined);
  if (document === undefined)
    throw usageError(
      `--${flag} needs a workflow`,
      'use a file, --graph <name>, --function <name>, or --node <kind> with --config <json>',
    );
  return readWorkflow(file, source);
}

function workflowForm(file: string | undefined, source: Source): string {
  const forms = [
    ...(file === undefined ? [] : ['file']),
    ...['graph', 'node', 'function'].filter((form) => flagValue(source, form) !== undefined),
  ];
  const [form] = forms;
  if (form === undefined || forms.length > 1) {
    const words = forms.map((one) => (one === 'file' ? 'the file' : `--${one}`)).join(' and ');
    const problem = form === undefined ? 'the workflow is missing' : `${words} cannot be combined`;
    throw usageError(problem, 'use a file, --graph <name>, --function <name>, or --node <kind> with --config <json>');
  }
  if (form !== 'node' && flagValue(source, 'config') !== undefined)
    throw usageError('--config needs --node', 'add --node <kind>');
  return form;
}
