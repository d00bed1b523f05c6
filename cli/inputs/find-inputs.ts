import { existsSync } from 'node:fs';
import type { Document } from 'yaml';
import type { Call, Client } from '../client/client.ts';
import type { Command, FlagValues, Invocation } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import { readDocument } from '../input.ts';
import { isPipeline } from '../pipeline-files.ts';
import { expandInputs, findScriptInputs } from '../../plugins/platform/schema/contract/declared-inputs.ts';
import { parseExact } from '../../plugins/platform/schema/contract/exact-json.ts';
import { ShapeError } from '../../plugins/platform/schema/contract/shape.ts';
import type { InputSchema, WorkflowInputs } from './input-flags.ts';

type Source = Pick<Invocation, 'stdin'>;

/** How long a request may take. */
type Limits = Pick<Call, 'idle_ms' | 'signal'>;

/** The maximum number of YAML aliases, the same as in the check of a pipeline. */
const MAX_ALIASES = 1000;

/** The inputs that the workflow of a command line declares; undefined: none, or it names no workflow yet. */
export async function findInputs(
  { name }: Pick<Command, 'name'>,
  { args, flags }: { args: readonly string[]; flags: FlagValues },
  source: Source,
  client: () => Promise<Client>,
  limits: Limits = {},
): Promise<WorkflowInputs | undefined> {
  const [first] = args;
  const request = (body: Record<string, string>, workflow: string) => requestInputs(client, body, workflow, limits);
  if (name === 'call function' && first !== undefined) return request({ function: first }, first);
  if (name === 'call graph') {
    if (flags.definition !== undefined) return readFileInputs(String(flags.definition), 'graph', source);
    return first === undefined ? undefined : request({ graph: first }, first);
  }
  if (flags.graph !== undefined) return request({ graph: String(flags.graph) }, String(flags.graph));
  if (flags.function !== undefined) return request({ function: String(flags.function) }, String(flags.function));
  return first === undefined ? undefined : readFileInputs(first, flags.as, source);
}

/** What `svc help <workflow>` names: a file, or else a graph or a function of the server. */
export async function findNamedInputs(
  name: string,
  source: Source,
  client: () => Promise<Client>,
): Promise<[form: 'graph' | 'function' | undefined, WorkflowInputs] | undefined> {
  if (existsSync(name)) {
    const inputs = await readFileInputs(name, undefined, source);
    return inputs && [undefined, inputs];
  }
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(name)) return undefined;
  for (const form of ['graph', 'function'] as const)
    try {
      const inputs = await requestInputs(client, { [form]: name }, name);
      if (inputs !== undefined) return [form, inputs];
    } catch (error) {
      // There is no such workflow, or no server that could have one.
      if (!(error instanceof CliError)) throw error;
    }
  return undefined;
}

async function requestInputs(
  client: () => Promise<Client>,
  body: Record<string, string>,
  workflow: string,
  limits: Limits = {},
): Promise<WorkflowInputs | undefined> {
  const api = await client();
  const { schema } = await api.json<{ schema?: InputSchema | boolean }>({
    method: 'POST',
    path: api.scoped('/inputs'),
    body,
    ...limits,
  });
  return typeof schema === 'object' ? { workflow, schema } : undefined;
}

/** The inputs that a file declares. Standard input is read only once, for the submit. */
export async function readFileInputs(path: string, as: unknown, source: Source): Promise<WorkflowInputs | undefined> {
  if (path === '-') return undefined;
  const { source: text } = await readDocument(path, source);
  try {
    const declared = await declaredIn(path, as, text);
    return declared === undefined ? undefined : { workflow: path, schema: expandInputs(declared) as InputSchema };
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw usageError(`the inputs of ${path}: ${error.message}`, `\`svc check ${path}\` shows where`);
  }
}

async function declaredIn(path: string, as: unknown, text: string): Promise<unknown> {
  if (isPipeline(path, as)) {
    if (!text.includes('inputs')) return undefined;
    const { parseDocument } = await import('yaml');
    const document = parseDocument(text, { merge: true, uniqueKeys: false, logLevel: 'silent' });
    return document.errors.length > 0 ? undefined : memberOf(toValue(document));
  }
  if (as === 'graph' || (as === undefined && text.trimStart().startsWith('{'))) return memberOf(parseOrNothing(text));
  const found = findScriptInputs(text);
  if (found !== undefined && 'problem' in found) throw new ShapeError(`svc:inputs ${found.problem}`);
  return found?.declared;
}

/** Undefined for too many aliases, which the check of the document reports. */
function toValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return undefined;
  }
}

/** The check of the document reports what is wrong with it. */
function parseOrNothing(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

const memberOf = (document: unknown): unknown =>
  typeof document === 'object' && document !== null ? (document as { inputs?: unknown }).inputs : undefined;
