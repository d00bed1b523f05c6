import { plain } from './ansi.ts';

/** An error as its first line: what went wrong, and where. */
export interface ErrorTitle {
  title: string;
  /** `step migrate`, `job test, step unit`. */
  where?: string;
}

const END = /\nthe end of its (?:standard error|output):\n/;
const LAST_CALL = /the last durable call, (.+?)(?:#0)?, failed/;
const OF_NODE = /^node ([^:\n]+): (?:the step (.+?) ended with)?/;
const MOST = 160;

/**
 * What a program said last of its failure stands before that it failed: `relation "orders" does not exist`, not
 * `the script ended with exit code 3`.
 */
export function titleOf({ code, message }: { code: string; message: string }): ErrorTitle {
  const [head = '', said = ''] = message.split(END);
  const lines = plain(said)
    .split('\n')
    .filter((line) => line.trim() !== '');
  // A traceback names the error at its end; whatever else complains does so at once.
  const line = (lines[0] ?? '').startsWith('Traceback ') ? lines.at(-1) : lines[0];
  const title = (line ?? head.split('\n', 1)[0] ?? '').trim().replace(/^(?:error|fatal|[✕✗×])\s*:?\s+/i, '') || code;
  const where = placeOf(head);
  return { title: title.length > MOST ? `${title.slice(0, MOST)}…` : title, ...(where !== undefined && { where }) };
}

function placeOf(head: string): string | undefined {
  const [, call] = LAST_CALL.exec(head) ?? [];
  if (call !== undefined) return `step ${call}`;
  const [, node, step] = OF_NODE.exec(head) ?? [];
  if (node === undefined) return undefined;
  return step === undefined ? `node ${node}` : `job ${node}, step ${step}`;
}
