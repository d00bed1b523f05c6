import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type ArtifactContents, CONTENT_ROWS, type StoredContent } from '../../artifacts/contract.ts';
import type { CopiedRow, CopiedTable, DatabaseCopies, Filling } from '../../database/contract.ts';
import type { MasterKeys } from '../../vault/contract.ts';
import { BackupErrors } from '../errors.ts';
import type { BackupEnd, BackupHeader } from '../format/header.ts';
import { type BackupVisitor, damageOf, readBackup, type RowCounts } from '../format/read.ts';
import type { Progress } from './progress.ts';

/** What was read, and was whole. */
export interface ReadResult {
  header: BackupHeader;
  counts: RowCounts;
  end: BackupEnd;
}

export interface RestoreParts {
  copies: DatabaseCopies;
  contents: ArtifactContents;
  keys: MasterKeys;
}

interface Reading {
  progress: Progress;
  signal: AbortSignal;
}

/** The bytes of a file, or of standard input. */
export const sourceOf = (path: string): Readable => (path === '-' ? process.stdin : createReadStream(path));

/** Unpacks and reads all of it. Throws `backup_damaged`, `backup_file_unusable`, and whatever the visitor throws. */
async function readAll(source: Readable, visitor: BackupVisitor, signal: AbortSignal): Promise<ReadResult> {
  let result: ReadResult | undefined;
  try {
    await pipeline(
      source,
      createGunzip(),
      async (unpacked: AsyncIterable<Buffer>) => {
        result = await readBackup(unpacked, visitor);
      },
      { signal },
    );
    return result!;
  } catch (error) {
    const { code = '', syscall, path = '' } = error as NodeJS.ErrnoException;
    if (path !== '' && (syscall === 'open' || syscall === 'read'))
      throw BackupErrors.fileUnusable(`${path}: ${code}`, { cause: error });
    throw damageOf(error);
  }
}

/** Reads a backup whole, and stores nothing. */
export const verifyBackup = (source: Readable, { progress, signal }: Reading): Promise<ReadResult> =>
  readAll(
    source,
    {
      header: async () => undefined,
      rows: async ({ name }, rows) => progress.add(name, { rows: rows.length }),
      content: async ({ size }) => progress.add('artifacts', { bytes: size }),
    },
    signal,
  );

/**
 * Restores a backup into the empty database of the settings. A failure takes everything back; `left` is told what could
 * not be.
 */
export async function restoreBackup(
  parts: RestoreParts,
  source: Readable,
  { progress, signal, left }: Reading & { left: (text: string) => void },
): Promise<ReadResult & { applied: readonly string[]; family: Filling['family'] }> {
  const restoring = new Restoring(parts, progress);
  try {
    const result = await readAll(source, restoring, signal);
    signal.throwIfAborted();
    return { ...result, ...(await restoring.finish()) };
  } catch (error) {
    const text = await restoring.abandon();
    if (text !== undefined) left(text);
    throw error;
  }
}

class Restoring implements BackupVisitor {
  readonly #parts: RestoreParts;
  readonly #progress: Progress;
  #filling: Filling | undefined;
  /** The store of all contents that are restored. */
  #store: string | undefined;

  constructor(parts: RestoreParts, progress: Progress) {
    this.#parts = parts;
    this.#progress = progress;
  }

  async header({ keys, migrations, artifacts }: BackupHeader): Promise<void> {
    const { copies, contents } = this.#parts;
    await this.#parts.keys.assertOpens(keys);
    this.#filling = await copies.fill();
    await this.#filling.build(migrations);
    if (artifacts) this.#store = await contents.place();
  }

  async rows(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
    await this.#filling!.table(table).insert(this.#placed(table, rows));
    this.#progress.add(table.name, { rows: rows.length });
  }

  async content(content: StoredContent, take: (bytes: number) => AsyncIterable<Buffer>): Promise<void> {
    const { contents } = this.#parts;
    if (!(await contents.has(content))) await contents.write(content, take);
    this.#progress.add('artifacts', { bytes: content.size });
  }

  async finish() {
    const { family } = this.#filling!;
    return { family, applied: await this.#filling!.finish() };
  }

  abandon(): Promise<string | undefined> {
    return this.#filling === undefined ? Promise.resolve(undefined) : this.#filling.abandon();
  }

  /** Contents that come with the backup are in the store of this machine from now on. */
  #placed({ name, columns }: CopiedTable, rows: readonly CopiedRow[]): readonly CopiedRow[] {
    if (this.#store === undefined || name !== CONTENT_ROWS.table) return rows;
    const at = columns.indexOf(CONTENT_ROWS.column);
    return at < 0 ? rows : rows.map((row) => row.with(at, this.#store!));
  }
}
