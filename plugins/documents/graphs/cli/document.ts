import { existsSync } from 'node:fs';
import {
  type Api,
  type Client,
  type Invocation,
  parseExact,
  readDocument,
  usageError,
} from '../../../../cli/contract.ts';

export type GraphDocument = Record<string, unknown>;

const A_GRAPH = 'a graph is a JSON object; `svc graph show` prints one';

/** Reads a graph as JSON from a file, or from standard input for `-`. Throws a usage error. */
export async function readGraph(path: string, source: Pick<Invocation, 'stdin'>): Promise<GraphDocument> {
  const { source: text } = await readDocument(path, source);
  let document: unknown;
  try {
    document = parseExact(text);
  } catch (error) {
    throw usageError(`${path} is not JSON: ${(error as Error).message}`, A_GRAPH);
  }
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document as GraphDocument;
  throw usageError(`${path} is not a graph`, A_GRAPH);
}

/** The path of a stored graph, and the version in `name@version`. */
export function storedPath(api: Client, text: string): { path: string; query: { version?: number } } {
  const [name = '', version, more] = text.split('@');
  if (more !== undefined || (version !== undefined && !/^[1-9]\d*$/.test(version)))
    throw usageError(
      `"${text}" does not contain a version`,
      'write <name>@<number>; `svc graph versions <name>` lists them',
    );
  return {
    path: api.scoped(`/graphs/${encodeURIComponent(name)}`),
    query: version === undefined ? {} : { version: Number(version) },
  };
}

/** A graph from a file, from standard input, or a stored one by `name` or `name@version`. */
export async function anyGraph(text: string, invocation: Invocation): Promise<GraphDocument> {
  if (text === '-' || existsSync(text)) return readGraph(text, invocation);
  const api = await invocation.client();
  const { document } = await api.json<Api.GraphView>({ ...storedPath(api, text), expects: ['document'] });
  return document;
}
