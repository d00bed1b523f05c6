import type { IncomingMessage } from 'node:http';

/** Bytes read of an error body. */
const BODY_BYTES = 64 * 1024;

/**
 * True when an answer with that status ends the agent. An address that worked before may be unavailable for a while.
 */
export function isFinal(status: number, everConnected: boolean): boolean {
  return status === 401 || status === 403 || (status === 404 && !everConnected);
}

/** The server's answer instead of a WebSocket: the text of its problem document if there is one. */
export async function explainRefusal(response: IncomingMessage): Promise<{ status: number; message: string }> {
  const status = response.statusCode ?? 0;
  const plain = `the server answered ${status} to the agent`;
  let text = '';
  try {
    response.setEncoding('utf8');
    for await (const part of response) {
      text += part;
      if (text.length > BODY_BYTES) break;
    }
    const problem = JSON.parse(text) as { detail?: unknown; title?: unknown };
    const said = [problem.detail, problem.title].find((words) => typeof words === 'string');
    return { status, message: said === undefined ? plain : `${plain}: ${said}` };
  } catch {
    // Not an answer of svc, or incomplete: the status is enough.
    return { status, message: plain };
  }
}
