import { readJson } from '../../../kernel/schema/index.ts';
import type { Json } from '../../runs/contract.ts';

const JSON_TYPE = /^application\/(?:[a-z0-9.!#$&^_-]+\+)?json$/;

/**
 * The body of a delivery as the event carries it: nothing is `{}`, JSON (by its type, or without any) keeps its types,
 * every other text is itself, whatever its type says, and bytes that are no text of their charset are `{base64}`. Throws
 * `invalid_request` for JSON that nests too deep or holds what no database keeps.
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

/** Undefined when the bytes are no text in it, or nobody knows the charset. */
function textOf(raw: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return undefined;
  }
}

/** All but the secret, which nothing keeps, whether it counted or not. */
export function deliveredQuery(query: Readonly<Record<string, string>>): { [name: string]: string } {
  return Object.fromEntries(Object.entries(query).filter(([name]) => name !== 'secret'));
}
