// An import would evaluate every export, and `WebSocket` of node:http loads a client of 10 MB that nobody here uses.
const { validateHeaderName } = process.getBuiltinModule('node:http');

/**
 * Headers that frame the message or belong to the connection. The client sets them: a caller that could would smuggle
 * another request.
 */
export const SERVICE_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that a request cannot carry, each with the reason: a bad name, one of the service, a bad text, given twice. */
export function requestHeaderFaults(headers: Readonly<Record<string, string>>): { name: string; message: string }[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    const message = headerFault(lower, value) ?? (seen.has(lower) ? 'is given twice' : undefined);
    seen.add(lower);
    return message === undefined ? [] : [{ name, message }];
  });
}

function headerFault(lower: string, value: string): string | undefined {
  if (!isToken(lower)) return 'is no name of a header';
  if (SERVICE_HEADERS.has(lower)) return 'is set by the service';
  if (/[\r\n\0]/.test(value)) return 'must not contain a line break or NUL';
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) return 'must be text that a header can carry: Latin-1';
  return undefined;
}

function isToken(name: string): boolean {
  try {
    validateHeaderName(name);
    return true;
  } catch {
    return false;
  }
}
