import { type EgressAnswer, isServiceError } from '../../../../kernel/contracts/index.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { readJsonYielding, yieldBeforeLarge } from '../../../platform/schema/contract.ts';
import type { NodeAnswer } from '../contract.ts';

/** The answer as the node's output. It reads a large body in several turns of the event loop. */
export async function toNodeAnswer(
  { status, headers, body }: EgressAnswer,
  artifact: NodeAnswer['artifact'],
): Promise<NodeAnswer> {
  if (artifact) return { status, headers, body: null, artifact };
  return { status, headers, body: await readBody(headers['content-type'] ?? '', body) };
}

/** The body as text, for messages; never throws. */
export const excerptText = ({ headers, body }: EgressAnswer): string =>
  decodeText(headers['content-type'] ?? '', body) ?? body.toString('utf8');

async function readBody(type: string, bytes: Buffer): Promise<Json> {
  if (bytes.length === 0) return null;
  await yieldBeforeLarge(bytes.length);
  const text = decodeText(type, bytes);
  if (text === undefined) return { base64: bytes.toString('base64') };
  return isJson(type) ? ((await decodeJson(text)) ?? text) : text;
}

const mediaType = (type: string): string => type.split(';', 1)[0]!.trim().toLowerCase();

const isJson = (type: string): boolean => /^application\/json$|^text\/json$|\+json$/.test(mediaType(type));

/** Content that is called JSON but is not stays text. So does JSON that nests too deep for a record. */
async function decodeJson(text: string): Promise<Json | undefined> {
  try {
    const read = await readJsonYielding(Buffer.from(text));
    return 'value' in read ? (read.value as Json) : undefined;
  } catch (error) {
    if (isServiceError(error)) return undefined;
    throw error;
  }
}

/**
 * Decodes by the charset of the answer. Without one, it tries UTF-8, and Latin-1 for text types. Returns undefined for
 * anything else.
 */
function decodeText(type: string, bytes: Buffer): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)"?/i.exec(type)?.[1];
  const declared = charset === undefined ? undefined : createDecoder(charset);
  if (declared) return declared.decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return mediaType(type).startsWith('text/') ? new TextDecoder('windows-1252').decode(bytes) : undefined;
  }
}

/** Returns undefined for an unknown charset. */
function createDecoder(charset: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}
