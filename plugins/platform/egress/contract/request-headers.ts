// An import would evaluate every export, and `WebSocket` of node:http loads a client of 10 MB that nobody here uses.
const { validateHeaderName } = process.getBuiltinModule('node:http');

/**
 * Headers that frame the message or belong to the connection. Only the client sets them: a caller that could set them might
 * smuggle another request.
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

/** Returns the headers that a request cannot carry, with the reason: an invalid name or value, a reserved name, a duplicate. */
export function validateHeaders(headers: Readonly<Record<string, string>>): { name: string; message: string }[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    const message = validateHeader(lower, value) ?? (seen.has(lower) ? 'is set twice' : undefined);
    seen.add(lower);
    return message === undefined ? [] : [{ name, message }];
  });
}

function validateHeader(lower: string, value: string): string | undefined {
  if (!isToken(lower)) return 'is not a header name';
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
