import { type EgressAnswer, isServiceError } from '../../../kernel/contracts/index.ts';
import type { Json } from '../../runs/contract.ts';
import { readJson } from '../../schema/contract.ts';
import type { NodeAnswer } from '../contract.ts';

/** The answer as the node's output. */
export function answerOf({ status, headers, body }: EgressAnswer, artifact: NodeAnswer['artifact']): NodeAnswer {
  if (artifact) return { status, headers, body: null, artifact };
  return { status, headers, body: bodyOf(headers['content-type'] ?? '', body) };
}

/** The body as text, for messages; never throws. */
export const excerptText = ({ headers, body }: EgressAnswer): string =>
  textOf(headers['content-type'] ?? '', body) ?? body.toString('utf8');

function bodyOf(type: string, bytes: Buffer): Json {
  if (bytes.length === 0) return null;
  const text = textOf(type, bytes);
  if (text === undefined) return { base64: bytes.toString('base64') };
  return isJson(type) ? (jsonOf(text) ?? text) : text;
}

const mediaType = (type: string): string => type.split(';', 1)[0]!.trim().toLowerCase();

const isJson = (type: string): boolean => /^application\/json$|^text\/json$|\+json$/.test(mediaType(type));

/** What is called JSON and is none stays a text. So does JSON that is nested too deeply for a record. */
function jsonOf(text: string): Json | undefined {
  try {
    const read = readJson(Buffer.from(text));
    return 'value' in read ? (read.value as Json) : undefined;
  } catch (error) {
    if (isServiceError(error)) return undefined;
    throw error;
  }
}

/** By the charset of the answer; without one UTF-8, or for what is called text Latin-1. Undefined for no text. */
function textOf(type: string, bytes: Buffer): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)"?/i.exec(type)?.[1];
  const declared = charset === undefined ? undefined : decoderOf(charset);
  if (declared) return declared.decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return mediaType(type).startsWith('text/') ? new TextDecoder('windows-1252').decode(bytes) : undefined;
  }
}

/** Undefined for a charset that nobody knows. */
function decoderOf(charset: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}
