import type { HookSection } from '../generated/connector-manifest.ts';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const HEX = /^(?:[0-9A-Fa-f]{2})*$/;

const READERS = {
  text: (text: string) => Buffer.from(text, 'utf8'),
  base64: (text: string) => (BASE64.test(text) ? Buffer.from(text, 'base64') : undefined),
  hex: (text: string) => (HEX.test(text) ? Buffer.from(text, 'hex') : undefined),
} as const;

/** The bytes of a key in the encoding of its section; undefined for another encoding. May be empty. */
export function readKey({ signature }: HookSection, key: string): Buffer | undefined {
  const { prefix = '', encoding = 'text' } = signature.key ?? {};
  return READERS[encoding](prefix !== '' && key.startsWith(prefix) ? key.slice(prefix.length) : key);
}

/** Why a text is not a valid key for this section, without repeating any of it. */
export function keyFault(section: HookSection, key: string): string | undefined {
  if (key === '') return 'must not be empty';
  if (!key.isWellFormed()) return 'must be valid Unicode';
  const { prefix, encoding = 'text' } = section.signature.key ?? {};
  const bytes = readKey(section, key);
  const form = prefix ? `${encoding}, with or without ${prefix} before it` : encoding;
  if (bytes === undefined) return `must be ${form}`;
  if (bytes.length === 0) return 'must not be empty';
  return undefined;
}
