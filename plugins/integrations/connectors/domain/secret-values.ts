import { isNumber, jsonNestsDeeper } from '../../../platform/schema/contract.ts';

const MASK = '***';

const NAMES =
  /token|secret|passw(?:or)?d|passphrase|(?:api|access|private|signing|encryption|account|storage|shared)[_-]?key|authorization|cookie|session|credential|signature/i;
/** These are secret as a word of a name, and not as a part of another word. */
const WORDS = new Set('auth bearer csrf cvc cvv dsn jwt otp passcode pin pwd sid sig totp xsrf'.split(' '));

/** True when a member, a parameter or a header with this name usually has a secret. */
export function isSecretName(name: string): boolean {
  if (NAMES.test(name)) return true;
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return words.split(/[^a-z0-9]+/).some((word) => WORDS.has(word));
}

/** A name below a secret that looks like a secret itself, such as the ID of a session. */
const TOKEN_NAME = /^(?=.*\d)[\w.~+/=-]{16,}$/;

/** Values that occur in ordinary text too are masked where they stand, and not wherever they occur. */
const isDistinctive = (text: string): boolean => text.length >= 16 || (text.length >= 6 && /\d/.test(text));

/** A text of JSON that nests deeper is read like any other text. */
const MAX_DEPTH = 100;
/** Texts that begin like JSON. */
const JSON_TEXT = /^\s*[[{]/;

interface TextRule {
  /** What comes before a secret. Repetitions are bounded, so that a long text takes no longer than its length. */
  start: RegExp;
  /** The name that decides whether it is one. Without it, it is. */
  nameOf?: (match: RegExpExecArray) => string;
  /** The secret itself, where the match ends. */
  secretOf: (match: RegExpExecArray) => RegExp;
}

/** The value of a pair of a name and a value, by the quote before it. */
const VALUES: Readonly<Record<string, RegExp>> = {
  '"': /(?:[^"\\\r\n]|\\.)+/y,
  "'": /(?:[^'\\\r\n]|\\.)+/y,
  escaped: /[^"'\\\r\n]+/y,
  none: /[^\s&;,"'<>\\{}]+/y,
};

const RULES: readonly TextRule[] = [
  {
    start: /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----/g,
    secretOf: () => /[^-]+(?:-----END [A-Z ]{0,32}PRIVATE KEY-----)?/y,
  },
  { start: /:\/\//g, secretOf: () => /[^\s/?#@"'<>]{1,1024}(?=@)/y },
  { start: /(?<![\w-])(?=eyJ)/g, secretOf: () => /eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*/y },
  {
    start: /(?<![\w-])(?:(?:proxy-)?authorization|(?:set-)?cookie2?)["']?\s{0,8}[:=]\s{0,8}["']?/gi,
    secretOf: () => /[^\r\n"'<>]+/y,
  },
  {
    start: /(?<![\w-])(?:basic|bearer)\s{1,8}/gi,
    secretOf: () => /(?=[\w.~+/-]*[\d=])[\w.~+/-]{6,}=*/y,
  },
  {
    start: /<([\w:.-]{1,64})(?:\s[^<>]{0,256})?>/g,
    nameOf: ([, name]) => name!,
    secretOf: () => /[^<]+(?=<\/)/y,
  },
  {
    start: /<input\s(?=([^<>]{0,1024}))[^<>]{0,1024}?value=["']/gi,
    nameOf: ([, attributes]) => /(?:^|\s)name=["']?([^\s"'<>]{1,64})/i.exec(attributes!)?.[1] ?? '',
    secretOf: () => /[^"'<>]+/y,
  },
  {
    start: /(?:^|[\s;])name="?([^"\r\n;]{1,64})"?[^\r\n]{0,256}(?:\r?\n[^\r\n]{1,256}){0,8}\r?\n\r?\n/g,
    nameOf: ([, name]) => name!,
    secretOf: () => /[^\r\n]+/y,
  },
  {
    start: /(?<![\w.-])([\w.[\]-]{1,64})\\{0,8}["']?\s{0,8}(?:[:=]|%3D)\s{0,8}(\\{0,8})(["']?)/g,
    nameOf: ([, name]) => name!,
    secretOf: ([, , escapes, quote]) => VALUES[quote === '' ? 'none' : escapes === '' ? quote! : 'escaped']!,
  },
];

/** Masks what is named like a secret or looks like one, and notes the values, because they may occur elsewhere too. */
export class SecretValues {
  readonly #found = new Set<string>();
  /** Texts that anybody may see, such as the choices of an input. */
  readonly #isPublic: (text: string) => boolean;
  readonly #isNoted: (text: string) => boolean;

  /** `known`: a person has named the values, so that even ordinary words among them are noted. */
  constructor({
    isPublic = () => false,
    known = false,
  }: { isPublic?: (text: string) => boolean; known?: boolean } = {}) {
    this.#isPublic = isPublic;
    this.#isNoted = known ? () => true : isDistinctive;
  }

  get found(): readonly string[] {
    return [...this.#found];
  }

  /** Returns the value with masks. Numbers become 0 and booleans false, so that each keeps its type. */
  mask(value: unknown, is_secret = false): unknown {
    if (typeof value === 'string') return is_secret ? this.#maskText(value) : this.text(value);
    if (isNumber(value)) {
      if (!is_secret) return value;
      this.#note(String(value));
      return 0;
    }
    if (typeof value === 'boolean') return value && !is_secret;
    if (Array.isArray(value)) return value.map((one) => this.mask(one, is_secret));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, one]): [string, unknown] => {
      const is_token = is_secret && TOKEN_NAME.test(name);
      if (is_token) this.#note(name);
      return [is_token ? MASK : this.text(name), this.mask(one, is_secret || isSecretName(name))];
    });
    return Object.fromEntries(members);
  }

  /** Masks passwords in URLs, tokens, keys and pairs of names and values that a text contains. */
  text(text: string): string {
    const parsed = JSON_TEXT.test(text) ? parse(text) : undefined;
    if (parsed !== undefined) {
      const masked = JSON.stringify(this.mask(parsed));
      return masked === JSON.stringify(parsed) ? text : masked;
    }
    return RULES.reduce((masked, rule) => this.#applyRule(masked, rule), text);
  }

  #applyRule(text: string, { start, nameOf, secretOf }: TextRule): string {
    const pieces: string[] = [];
    let done = 0;
    start.lastIndex = 0;
    for (let match = start.exec(text); match; match = start.exec(text)) {
      const from = start.lastIndex;
      // What follows is looked at again: it may be the name of the next value.
      start.lastIndex = match.index + Math.max(1, match[1]?.length ?? match[0].length);
      if (nameOf && !isSecretName(nameOf(match))) continue;
      const value = secretOf(match);
      value.lastIndex = from;
      const [secret] = value.exec(text) ?? [];
      if (secret === undefined) continue;
      pieces.push(text.slice(done, from), secret === MASK ? secret : this.#maskText(secret));
      done = from + secret.length;
      start.lastIndex = done;
    }
    return done === 0 ? text : pieces.join('') + text.slice(done);
  }

  #maskText(text: string): string {
    if (text === '' || this.#isPublic(text)) return text;
    this.#note(text);
    return MASK;
  }

  #note(text: string): void {
    if (this.#isNoted(text)) this.#found.add(text);
  }
}

function parse(text: string): unknown {
  if (jsonNestsDeeper(Buffer.from(text), MAX_DEPTH)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
