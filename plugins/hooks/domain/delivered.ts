import { readJson } from '../../schema/contract.ts';
import type { Json } from '../../runs/contract.ts';

const JSON_TYPE = /^application\/(?:[a-z0-9.!#$&^_-]+\+)?json$/;

/**
 * The body of a delivery as the event carries it: no body is `{}`; JSON (by its type, or without any type) keeps its
 * types; other text stays text, whatever its type says; bytes that are not valid text in their charset are `{base64}`.
 * Throws `invalid_request` for JSON that is nested too deeply or that no database can store.
 */
export function deliveredBody(raw: Buffer, content_type: string | undefined): Json {
  if (raw.length === 0) return {};
  const [type = '', ...parameters] = (content_type ?? '').split(';').map((part) => part.trim());
  if (type === '' || JSON_TYPE.test(type.toLowerCase())) {
    const read = readJson(raw);
    if ('value' in read) return read.value as Json;
  }
  return textOf(raw, charsetOf(parameters)) ?? { base64: raw.toString('base64') };
}

function charsetOf(parameters: readonly string[]): string {
  const [, charset = 'utf-8'] =
    parameters
      .map((part) => /^charset=("?)([^"]*)\1$/i.exec(part))
      .find((match) => match !== null)
      ?.slice(1) ?? [];
  return charset;
}

/** Undefined when the bytes are not valid text in this charset, or the charset is unknown. */
function textOf(raw: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return undefined;
  }
}

/** Every parameter but the secret, which is never stored. */
export function deliveredQuery(query: Readonly<Record<string, string>>): { [name: string]: string } {
  return Object.fromEntries(Object.entries(query).filter(([name]) => name !== 'secret'));
}
