const HEADER_LENGTH = 128;
/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** These headers frame or route the message, or belong to one connection: the HTTP client sets them. */
const FORBIDDEN = new Set(
  `connection content-length expect host keep-alive proxy-authenticate proxy-authorization proxy-connection te
   trailer transfer-encoding upgrade`.split(/\s+/),
);

const CONTROL = /\p{Cc}/u;

/** Returns why a header cannot carry a key; undefined when it can. */
export function validateHeaderName(name: string): string | undefined {
  if (name.length > HEADER_LENGTH) return `must have at most ${HEADER_LENGTH} characters`;
  if (!TOKEN.test(name)) return "must be a header name: letters, digits and !#$%&'*+-.^_`|~";
  if (FORBIDDEN.has(name.toLowerCase())) return 'is a header that HTTP reserves for the connection or the message';
  return undefined;
}

/** Validates a header value: RFC 9110 field content in ASCII, which every intermediary reads in the same way. */
export function validateHeaderText(text: string): string | undefined {
  if (CONTROL.test(text))
    return 'must not contain NUL, a line break or another control character, because it becomes a header';
  if (!/^[\x20-\x7e]+$/.test(text)) return 'must be ASCII, because it becomes a header';
  if (text !== text.trim()) return 'must not begin or end with a space, because headers lose it';
  return undefined;
}

/** Validates a username or password. They are sent as base64 of UTF-8, and RFC 7617 forbids control characters. */
export function validatePairText(text: string): string | undefined {
  return CONTROL.test(text) ? 'must not contain NUL, a line break or another control character' : undefined;
}

/** Validates a text that becomes part of a URL without escapes. */
export function validateUrlText(text: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(text)
    ? undefined
    : 'must be ASCII without spaces or control characters, because it becomes part of a URL';
}
