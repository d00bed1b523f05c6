/** What bash escapes with a backslash in `printf %q`. */
const BACKSLASHED = /[ !"$&'()*,;<>?[\\\]^`{|}]/g;
/** The same between double quotes, as `declare -p` does. */
const BETWEEN_QUOTES = /["$`\\]/g;

/** Quoted by a shell: in single quotes, as by `printf %q`, and as by `declare -p`; with what `$'…'` holds. */
export function shellForms(value: string): string[] {
  const backslashed = value.replaceAll(BACKSLASHED, '\\$&');
  // At the beginning of a word, and ~ behind = or :, these mean something too.
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

/** What `$'…'` holds. In the locale C, every byte that is no ASCII is a number. */
function ansiC(value: string, ascii: boolean): string {
  const escaped = ascii ? /\p{Cc}|[\\']|\P{ASCII}/gu : /\p{Cc}|[\\']/gu;
  return value.replaceAll(escaped, (char) => NAMED[char] ?? octal(char));
}

const octal = (char: string): string =>
  [...Buffer.from(char)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
