import { token } from '../../../../kernel/contracts/index.ts';

export interface ServerRequest {
  method: string;
  /** `/api/v1/…`, including the query. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** Read while it is sent. */
  content?: AsyncIterable<Buffer>;
  signal?: AbortSignal;
}

/** Sends requests that are too large for the channel, with the agent's token. Available only in the role `agent`. */
export interface AgentServer {
  /**
   * Returns the JSON of a successful response. Throws the server's rejection as a ServiceError, `agent_channel_lost`
   * when the connection broke, and whatever reading the content throws.
   */
  send(request: ServerRequest): Promise<{ status: number; json: unknown }>;
  /** Like `send`, for a response of at most `limit` bytes. */
  read(request: ServerRequest, limit: number): Promise<Buffer>;
  /**
   * Like `send`, for a response of any length, which is read while it arrives. Reading throws `agent_channel_lost` when
   * the connection breaks. The caller reads it to its end, or returns the iterator.
   */
  open(request: ServerRequest): Promise<{ status: number; content: AsyncIterable<Buffer> }>;
}

export const AgentServer = token<AgentServer>('agents.AgentServer');
