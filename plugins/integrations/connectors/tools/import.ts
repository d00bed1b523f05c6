import { createReadStream } from 'node:fs';
import { Errors, Expressions, type LocalTool } from '../../../../kernel/contracts/index.ts';
import { ManifestReading } from '../../manifests/contract.ts';
import { importOpenapi } from '../openapi/import.ts';

/** Documents of public services have up to some megabytes. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_YAML_BYTES = 8 * 1024 * 1024;
const MAX_ALIASES = 1000;

/** `svc connector import <file>` makes a manifest of an OpenAPI document. The command writes it. */
export const importTool: LocalTool = {
  name: 'connector-import',
  async run(use, { args: [path = ''], flags }) {
    const operations =
      typeof flags.operations === 'string' ? flags.operations.split(',').map((one) => one.trim()) : undefined;
    const imported = importOpenapi(
      await readDocument(path),
      { name: typeof flags.name === 'string' ? flags.name : undefined, operations },
      { reading: use(ManifestReading), expressions: use(Expressions) },
    );
    const { length } = Object.keys(imported.manifest.actions ?? {});
    return { json: imported, text: `${length} ${length === 1 ? 'action' : 'actions'}` };
  },
};

async function readDocument(path: string): Promise<unknown> {
  const bytes = await readBounded(path).catch((error: NodeJS.ErrnoException) => {
    throw Errors.invalidRequest(
      `cannot read ${path}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`,
    );
  });
  if (bytes.length > MAX_BYTES) throw Errors.invalidRequest(`${path} has more than ${MAX_BYTES} bytes`);
  const text = bytes.toString('utf8');
  // Most large documents are JSON, which the YAML parser reads thirty times more slowly.
  const json = parseJson(text);
  if (json !== undefined) return json;
  if (bytes.length > MAX_YAML_BYTES)
    throw Errors.invalidRequest(
      `${path} has more than ${MAX_YAML_BYTES} bytes of YAML; convert it to JSON, which can have ${MAX_BYTES}`,
    );
  const { parse } = await import('yaml');
  try {
    // To look for keys that are set twice takes a time that grows with the square of their number.
    return parse(text, { maxAliasCount: MAX_ALIASES, logLevel: 'silent', uniqueKeys: false });
  } catch (error) {
    throw Errors.invalidRequest(`${path} is neither YAML nor JSON: ${(error as Error).message.split('\n', 1)[0]}`);
  }
}

/** Reads a file, or at least one byte more than the limit: a device and a pipe have no size that could be looked at. */
async function readBounded(path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BYTES) break;
  }
  return Buffer.concat(chunks);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
