const HEADER_LENGTH = 128;
/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** They frame or route the message, or belong to one connection: whoever sends the request sets them. */
const FORBIDDEN = new Set(
  `connection content-length expect host keep-alive proxy-authenticate proxy-authorization proxy-connection te
   trailer transfer-encoding upgrade`.split(/\s+/),
);

const CONTROL = /\p{Cc}/u;

/** Why a header cannot carry a key; undefined when it can. */
export function headerFault(name: string): string | undefined {
  if (name.length > HEADER_LENGTH) return `must have at most ${HEADER_LENGTH} characters`;
  if (!TOKEN.test(name)) return "must be a name of a header: letters, digits and !#$%&'*+-.^_`|~";
  if (FORBIDDEN.has(name.toLowerCase())) return 'is a header that HTTP keeps for the connection or the message itself';
  return undefined;
}

/** What stands in a header: RFC 9110 field content, in ASCII so that nothing in between reads it differently. */
export function headerTextFault(text: string): string | undefined {
  if (CONTROL.test(text)) return 'must hold no NUL, line break or other control character: it becomes a header';
  if (!/^[\x20-\x7e]+$/.test(text)) return 'must be ASCII: it becomes a header';
  if (text !== text.trim()) return 'must not begin or end with a space: headers lose it';
  return undefined;
}

/** Halves of a pair are sent as base64 of UTF-8; RFC 7617 refuses control characters. */
export function pairTextFault(text: string): string | undefined {
  return CONTROL.test(text) ? 'must hold no NUL, line break or other control character' : undefined;
}

/** What stands in a URL as it is. */
export function urlTextFault(text: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(text)
    ? undefined
    : 'must be ASCII without spaces or control characters: it becomes part of a URL';
}
