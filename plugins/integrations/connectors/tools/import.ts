import { readFile } from 'node:fs/promises';
import { Errors, Expressions, type LocalTool } from '../../../../kernel/contracts/index.ts';
import { ManifestReading } from '../../manifests/contract.ts';
import { importOpenapi } from '../openapi/import.ts';

/** Documents of public services have up to some megabytes. */
const MAX_BYTES = 32 * 1024 * 1024;

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
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw Errors.invalidRequest(
      `cannot read ${path}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`,
    );
  });
  if (bytes.length > MAX_BYTES) throw Errors.invalidRequest(`${path} has more than ${MAX_BYTES} bytes`);
  const { parse } = await import('yaml');
  try {
    return parse(bytes.toString('utf8'), { maxAliasCount: 1000, logLevel: 'silent' });
  } catch (error) {
    throw Errors.invalidRequest(`${path} is neither YAML nor JSON: ${(error as Error).message.split('\n', 1)[0]}`);
  }
}
