import { readJsonYielding } from '../../../platform/schema/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';

const JSON_TYPE = /^application\/(?:[a-z0-9.!#$&^_-]+\+)?json$/;

/**
 * Converts the body of a delivery to the payload of its event. An empty body is `{}`. JSON, by its type or without any
 * type, keeps its types. Other text stays text, whatever its type. Bytes that are not valid text in their charset
 * become `{base64}`. Throws `invalid_request` for JSON that nests too deep or that no database can store.
 */
export async function readBody(raw: Buffer, content_type: string | undefined): Promise<Json> {
  if (raw.length === 0) return {};
  const [type = '', ...parameters] = (content_type ?? '').split(';').map((parameter) => parameter.trim());
  if (type === '' || JSON_TYPE.test(type.toLowerCase())) {
    const read = await readJsonYielding(raw);
    if ('value' in read) return read.value as Json;
  }
  return decodeText(raw, readCharset(parameters)) ?? { base64: raw.toString('base64') };
}

function readCharset(parameters: readonly string[]): string {
  const [, charset = 'utf-8'] =
    parameters
      .map((parameter) => /^charset=("?)([^"]*)\1$/i.exec(parameter))
      .find((match) => match !== null)
      ?.slice(1) ?? [];
  return charset;
}

/** Returns undefined when the bytes are not valid text in this charset, or the charset is unknown. */
function decodeText(raw: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return undefined;
  }
}

/** Every parameter but the secret, which is never stored. */
export function readQuery(query: Readonly<Record<string, string>>): { [name: string]: string } {
  return Object.fromEntries(Object.entries(query).filter(([name]) => name !== 'secret'));
}
