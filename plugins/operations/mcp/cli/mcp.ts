import { createInterface } from 'node:readline';
import { type Client, CliError, type Output, parseExact, type Run } from '../../../../cli/contract.ts';

/** Codes of JSON-RPC. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const SERVER_ERROR = -32_000;

/** A tool call may wait for a run, and the server is silent meanwhile. */
const IDLE_MS = 120_000;

interface Message {
  id?: string | number;
}

/** Passes the messages of an AI agent to the server, each as a request of its own. */
export const run: Run = async ({ flags, output, client, stdin }) => {
  const api = await client();
  const query: Record<string, string> = flags.readOnly === true ? { read_only: 'true' } : {};
  const open = new Set<Promise<void>>();
  for await (const line of createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue;
    const answered = answerLine(line, { api, query, output }).finally(() => open.delete(answered));
    open.add(answered);
  }
  await Promise.all(open);
  return undefined;
};

interface Bridge {
  api: Client;
  query: Readonly<Record<string, string>>;
  output: Output;
}

async function answerLine(line: string, bridge: Bridge): Promise<void> {
  const answer = await answerTo(line, bridge);
  if (answer !== undefined) bridge.output.write(`${JSON.stringify(answer)}\n`);
}

/** Returns undefined for a notification. Every failure becomes an error that the agent can read. */
async function answerTo(line: string, { api, query }: Bridge): Promise<object | undefined> {
  const message = parseMessage(line);
  if (message === undefined) return failure(null, PARSE_ERROR, 'this line is not JSON');
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return failure(null, INVALID_REQUEST, 'a message must be an object');
  const { id } = message as Message;
  try {
    const call = { method: 'POST', path: api.scoped('/mcp'), query, body: message, idle_ms: IDLE_MS } as const;
    return await api.json<object | undefined>(call);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return id === undefined ? undefined : failure(id, SERVER_ERROR, describe(error));
  }
}

/** Numbers keep all of their digits. */
function parseMessage(line: string): unknown {
  try {
    return parseExact(line);
  } catch {
    return undefined;
  }
}

const describe = ({ message, next }: CliError): string => (next === '' ? message : `${message}; ${next}`);

const failure = (id: string | number | null, code: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});
