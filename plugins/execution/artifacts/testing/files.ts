import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { basename, join } from 'node:path';
import { Database } from '../../../../kernel/contracts/index.ts';
import { findBroken, type TestServer } from '../../../../test/kit/index.ts';
import { USAGE } from './usage.ts';

export const digest = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
export const reprDigest = (bytes: Buffer | string): string =>
  `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;

/** Returns bytes that differ at every position. */
export function noise(size: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0, x = seed; at < size; at += 1) {
    x = (x * 1103515245 + 12345) % 2147483648;
    bytes[at] = x >> 16;
  }
  return bytes;
}

/** Returns the files of a folder of artifacts, without the one that holds its id. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .flatMap((one) => (one.isFile() && !one.name.startsWith('store-id') ? [join(one.parentPath, one.name)] : []))
    .sort();
}

const CONTENTS = 'SELECT blob_id, parts FROM artifacts_files UNION ALL SELECT blob_id, parts FROM artifacts_caches';

/** Returns the names of parts that rows of artifacts, caches, uploads or removals name. */
export async function namedParts(server: TestServer): Promise<Set<string>> {
  const database = server.use(Database);
  const named = new Set<string>();
  const parts = (text: string) => (JSON.parse(text) as [number, number][]).map(([epoch], n) => `${epoch}-${n}`);
  for (const row of await database.read<{ blob_id: string; parts: string }>(CONTENTS))
    for (const name of parts(row.parts)) named.add(`${row.blob_id}.${name}`);
  const uploads = await database.read<{ upload_id: string; parts: string; garbage: string; epoch: number }>(
    'SELECT upload_id, parts, garbage, epoch FROM artifacts_uploads',
  );
  for (const { upload_id, garbage, epoch, ...row } of uploads) {
    const recorded = parts(row.parts);
    for (const name of [...recorded, ...(JSON.parse(garbage) as string[]), `${epoch}-${recorded.length}`])
      named.add(`${upload_id}.${name}`);
  }
  for (const row of await database.read<{ blob_id: string; names: string }>(
    'SELECT blob_id, names FROM artifacts_removals',
  ))
    for (const name of JSON.parse(row.names) as string[]) named.add(`${row.blob_id}.${name}`);
  return named;
}

/** Finds files that no row names, parts of artifacts without a file, and wrong counts. There must never be any. */
export async function strays(server: TestServer, folder: string): Promise<string[]> {
  const [files, named] = [(await filesIn(folder)).map((path) => basename(path)), await namedParts(server)];
  const rows = await server.use(Database).read<{ blob_id: string; parts: string }>(CONTENTS);
  const missing = rows.flatMap(({ blob_id, parts }) =>
    (JSON.parse(parts) as [number, number][])
      .map(([epoch], n) => `${blob_id}.${epoch}-${n}`)
      .filter((name) => !files.includes(name))
      .map((name) => `missing ${name}`),
  );
  return [
    ...files.filter((name) => !named.has(name)).map((name) => `unnamed ${name}`),
    ...missing,
    ...(await findBroken(server.use(Database), USAGE)),
  ];
}

/** Sends the head and the beginning of a body, and breaks the connection once `when` resolves. */
export async function sendHalf(
  url: string,
  { headers, body }: { headers: Record<string, string>; body: Buffer },
  when: () => Promise<unknown>,
): Promise<void> {
  const sent = request(url, { method: 'PUT', headers });
  const gone = new Promise<void>((resolve) => {
    sent.on('error', () => resolve());
    sent.on('close', () => resolve());
  });
  sent.write(body);
  await when();
  sent.destroy();
  await gone;
}
