import type { IncomingMessage } from 'node:http';

/** Of a refusal's body, that much is read. */
const BODY_BYTES = 64 * 1024;

/** Does an answer of that status end the agent? An address that worked before may be missing for a while. */
export function isFinal(status: number, everConnected: boolean): boolean {
  return status === 401 || status === 403 || (status === 404 && !everConnected);
}

/** What the server answered instead of a WebSocket: its own words when it sent a problem document. */
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
    // Not svc's own answer, or cut off: the status says enough.
    return { status, message: plain };
  }
}
