import type { IncomingMessage } from 'node:http';

/** Maximum bytes read of an error body. */
const BODY_BYTES = 64 * 1024;

/**
 * True when a response with that status ends the agent. An address that worked before may be unavailable for a while.
 */
export function isPermanentRejection(status: number, everConnected: boolean): boolean {
  return status === 401 || status === 403 || (status === 404 && !everConnected);
}

/** Reads the server's response in place of a WebSocket: the text of its problem document, if there is one. */
export async function describeRejection(response: IncomingMessage): Promise<{ status: number; message: string }> {
  const status = response.statusCode ?? 0;
  const summary = `the server answered ${status} to the agent`;
  let text = '';
  try {
    response.setEncoding('utf8');
    for await (const chunk of response) {
      text += chunk;
      if (text.length > BODY_BYTES) break;
    }
    const problem = JSON.parse(text) as { detail?: unknown; title?: unknown };
    const detail = [problem.detail, problem.title].find((words) => typeof words === 'string');
    return { status, message: detail === undefined ? summary : `${summary}: ${detail}` };
  } catch {
    // Not a response of svc, or an incomplete one: the status is enough.
    return { status, message: summary };
  }
}
