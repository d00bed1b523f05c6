import { type Route, SCOPED, VIEWER } from '../../../kernel/contracts/index.ts';
import type { McpMessage } from './generated/mcp-message.ts';
import { answerMessage, checkVersion } from './protocol/messages.ts';
import { McpSession, type SessionDeps } from './protocol/session.ts';
import answerSchema from './schema/mcp-answer.schema.json' with { type: 'json' };
import messageSchema from './schema/mcp-message.schema.json' with { type: 'json' };
import querySchema from './schema/mcp-query.schema.json' with { type: 'json' };

/** The Streamable HTTP transport without sessions: each message is a request, and its response is JSON. */
export const mcpRoute = (deps: () => SessionDeps, version: string): Route => ({
  method: 'POST',
  path: `${SCOPED}/mcp`,
  operation: 'sendMcpMessage',
  summary: 'Send a Model Context Protocol message',
  access: VIEWER,
  query: querySchema,
  body: messageSchema,
  headers: { 'MCP-Protocol-Version': 'The version that was negotiated by `initialize`.' },
  responses: {
    200: { description: 'The response to a request.', schema: answerSchema },
    202: { description: 'A notification was received.' },
  },
  async handle(request) {
    checkVersion(request);
    const session = new McpSession(deps(), request);
    const json = await answerMessage(request.body as McpMessage, session, version);
    return json ? { status: 200, json } : { status: 202 };
  },
});
