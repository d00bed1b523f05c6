/** The characters that bash escapes with a backslash in `printf %q`. */
const BACKSLASHED = /[ !"$&'()*,;<>?[\\\]^`{|}]/g;
/** The characters that `declare -p` escapes between double quotes. */
const BETWEEN_QUOTES = /["$`\\]/g;

/** Returns the value as shells quote it: in single quotes, as `printf %q` and `declare -p` do, and within `$'…'`. */
export function shellForms(value: string): string[] {
  const backslashed = value.replaceAll(BACKSLASHED, '\\$&');
  // These are special at the beginning of a word, and ~ also after = or :.
  const words = [backslashed, backslashed.replace(/^[#~]/, '\\$&')];
  return [
    value.replaceAll("'", "'\\''"),
    ...words.flatMap((word) => [word, word.replaceAll(/(?<=[=:])~/g, '\\~')]),
    value.replaceAll(BETWEEN_QUOTES, '\\$&'),
    ansiC(value, false),
    ansiC(value, true),
  ];
}

const NAMED: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\x1b': '\\E',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  "'": "\\'",
};

/** Escapes the value for `$'…'`. In the C locale, every byte that is not ASCII becomes an octal number. */
function ansiC(value: string, ascii: boolean): string {
  const escaped = ascii ? /\p{Cc}|[\\']|\P{ASCII}/gu : /\p{Cc}|[\\']/gu;
  return value.replaceAll(escaped, (char) => NAMED[char] ?? octal(char));
}

const octal = (char: string): string =>
  [...Buffer.from(char)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
