import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boot } from '../../kernel/boot/index.ts';
import { HttpRoutes } from '../../kernel/contracts/index.ts';
import { openapi } from '../../plugins/platform/http/openapi.ts';

/** The OpenAPI document, as far as tools read it. */
export interface Document {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  components: { schemas: Record<string, unknown> };
}

/** The document of all built-in plugins. */
export async function readOpenapi(): Promise<Document> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-openapi-'));
  const settings = { database_url: 'sqlite::memory:', home: folder };
  const kernel = await boot({ role: 'server', env: { SVC_LOG_LEVEL: 'error' }, settings, quiet: true });
  try {
    return openapi(kernel.use.all(HttpRoutes), '0') as unknown as Document;
  } finally {
    await kernel.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
