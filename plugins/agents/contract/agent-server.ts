import { token } from '../../../kernel/contracts/index.ts';

export interface ServerRequest {
  method: string;
  /** `/api/v1/…`, with its query. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** Read as it is sent. */
  content?: AsyncIterable<Buffer>;
  signal?: AbortSignal;
}

/** What is too large for the channel: requests to the server with the agent's token. Only in the role `agent`. */
export interface AgentServer {
  /**
   * Answers the JSON of a successful request. Throws the server's refusal as a ServiceError, `agent_channel_lost` when the
   * connection broke, and whatever the content throws.
   */
  send(request: ServerRequest): Promise<{ status: number; json: unknown }>;
  /** The same for an answer of bytes, at most `limit`. */
  read(request: ServerRequest, limit: number): Promise<Buffer>;
}

export const AgentServer = token<AgentServer>('agents.AgentServer');
