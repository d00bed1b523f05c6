import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type ArtifactContents, CONTENT_ROWS, type StoredContent } from '../../../execution/artifacts/contract.ts';
import type { CopiedRow, CopiedTable, DatabaseCopies, RestoreTarget } from '../../../platform/database/contract.ts';
import type { MasterKeys } from '../../../security/vault/contract.ts';
import { BackupErrors } from '../errors.ts';
import type { BackupEnd, BackupHeader } from '../format/header.ts';
import { type BackupVisitor, toDamageError, readBackup, type RowCounts } from '../format/read.ts';
import type { Progress } from './progress.ts';

/** A backup that was read completely. */
export interface ReadResult {
  header: BackupHeader;
  counts: RowCounts;
  end: BackupEnd;
}

export interface RestoreDeps {
  copies: DatabaseCopies;
  contents: ArtifactContents;
  keys: MasterKeys;
}

interface ReadOptions {
  progress: Progress;
  signal: AbortSignal;
}

/** The bytes of a file, or of standard input. */
export const openSource = (path: string): Readable => (path === '-' ? process.stdin : createReadStream(path));

/**
 * Unpacks and reads a backup to its end. Throws `backup_damaged`, `backup_file_unusable`, and the errors of the
 * visitor.
 */
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
    throw toDamageError(error);
  }
}

/** Reads a backup completely and stores nothing. */
export const verifyBackup = (source: Readable, { progress, signal }: ReadOptions): Promise<ReadResult> =>
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
 * Restores a backup into the empty database of the settings. A failure rolls everything back; `left` is called with
 * what could not be removed.
 */
export async function restoreBackup(
  deps: RestoreDeps,
  source: Readable,
  { progress, signal, onLeftover }: ReadOptions & { onLeftover: (text: string) => void },
): Promise<ReadResult & { applied: readonly string[]; family: RestoreTarget['family'] }> {
  const restoring = new RestoreVisitor(deps, progress);
  try {
    const result = await readAll(source, restoring, signal);
    signal.throwIfAborted();
    return { ...result, ...(await restoring.finish()) };
  } catch (error) {
    const text = await restoring.abandon();
    if (text !== undefined) onLeftover(text);
    throw error;
  }
}

class RestoreVisitor implements BackupVisitor {
  readonly #deps: RestoreDeps;
  readonly #progress: Progress;
  #filling: RestoreTarget | undefined;
  /** The store of all contents that are restored. */
  #store: string | undefined;

  constructor(deps: RestoreDeps, progress: Progress) {
    this.#deps = deps;
    this.#progress = progress;
  }

  async header({ keys, migrations, artifacts }: BackupHeader): Promise<void> {
    const { copies, contents } = this.#deps;
    await this.#deps.keys.assertOpens(keys);
    this.#filling = await copies.fill();
    await this.#filling.build(migrations);
    if (artifacts) this.#store = await contents.storeId();
  }

  async rows(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
    await this.#filling!.table(table).insert(this.#withStore(table, rows));
    this.#progress.add(table.name, { rows: rows.length });
  }

  async content(content: StoredContent, readBytes: (bytes: number) => AsyncIterable<Buffer>): Promise<void> {
    const { contents } = this.#deps;
    if (!(await contents.has(content))) await contents.write(content, readBytes);
    this.#progress.add('artifacts', { bytes: content.size });
  }

  async finish() {
    const { family } = this.#filling!;
    return { family, applied: await this.#filling!.finish() };
  }

  abandon(): Promise<string | undefined> {
    return this.#filling === undefined ? Promise.resolve(undefined) : this.#filling.abandon();
  }

  /** Points the contents that the backup brings to the store of this machine. */
  #withStore({ name, columns }: CopiedTable, rows: readonly CopiedRow[]): readonly CopiedRow[] {
    if (this.#store === undefined || name !== CONTENT_ROWS.table) return rows;
    const at = columns.indexOf(CONTENT_ROWS.column);
    return at < 0 ? rows : rows.map((row) => row.with(at, this.#store!));
  }
}
