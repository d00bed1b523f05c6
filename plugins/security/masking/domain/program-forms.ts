interface Literal {
  /** The characters that are escaped besides backslashes. */
  escaped: RegExp;
  toEscape(char: string): string;
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

const unicode = (char: string): string => {
  const code = char.codePointAt(0)!;
  if (code <= 0xff) return `\\x${hex(code, 2)}`;
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
};

const bytes = (char: string): string => [...Buffer.from(char)].map((byte) => `\\x${hex(byte, 2)}`).join('');

/** Python's `repr` of a text, its `ascii`, and its `repr` of bytes; then `util.inspect` of Node.js. */
const LITERALS: readonly Literal[] = [
  { escaped: /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, toEscape: unicode },
  { escaped: /\p{Cc}|\P{ASCII}/gu, toEscape: unicode },
  { escaped: /\p{Cc}|\P{ASCII}/gu, toEscape: bytes },
  {
    escaped: /\p{Cc}/gu,
    toEscape: (char) => ({ '\b': '\\b', '\f': '\\f' })[char] ?? `\\x${hex(char.codePointAt(0)!, 2).toUpperCase()}`,
  },
];

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The quotes that a literal escapes: none if they delimit nothing, otherwise those around it. */
const QUOTES = [/(?!)/g, /'/g, /"/g];

/**
 * Returns the value as programs print it in an error or between others: the inside of a string literal of Python or Node.js, also
 * where Python prints that again, as in an error that names another.
 */
export function programForms(value: string): string[] {
  const forms = [...new Set(LITERALS.flatMap((literal) => literalForms(literal, value)))];
  const [repr] = LITERALS;
  return [...forms, ...forms.flatMap((form) => literalForms(repr!, form))];
}

function literalForms({ escaped, toEscape }: Literal, value: string): string[] {
  const text = value.replaceAll('\\', '\\\\').replaceAll(escaped, (char) => NAMED[char] ?? toEscape(char));
  return QUOTES.map((quotes) => text.replaceAll(quotes, '\\$&'));
}
