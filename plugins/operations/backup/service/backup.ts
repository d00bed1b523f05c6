import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Clock, isServiceError } from '../../../../kernel/contracts/index.ts';
import { type ArtifactContents, TRANSIENT_TABLES } from '../../../execution/artifacts/contract.ts';
import type { CopiedTable, DatabaseCopies, Snapshot } from '../../../platform/database/contract.ts';
import type { MasterKeys } from '../../../security/vault/contract.ts';
import { type BackupEnd, type BackupHeader, FORMAT, headerLine, markerLine } from '../format/header.ts';
import type { RowCounts } from '../format/read.ts';
import { rowLine } from '../format/values.ts';
import type { Progress } from './progress.ts';

export interface BackupDeps {
  copies: DatabaseCopies;
  contents: ArtifactContents;
  keys: MasterKeys;
  clock: Clock;
  version: string;
}

export interface BackupOptions {
  artifacts: boolean;
  progress: Progress;
  signal: AbortSignal;
}

export interface BackupResult {
  header: BackupHeader;
  counts: RowCounts;
  end: BackupEnd;
  /** Tables of others in the same database. */
  foreign: readonly string[];
  /** Contents that are not in the backup, and their bytes. */
  outside: { contents: number; bytes: number };
}

/** This level is fast, and its output a quarter larger than the smallest. */
const LEVEL = 3;

/** Writes a backup of this moment. The database is read in one transaction, row by row. */
export async function writeBackup(deps: BackupDeps, sink: Writable, options: BackupOptions): Promise<BackupResult> {
  const snapshot = await deps.copies.snapshot();
  try {
    const writing = new BackupWriter(deps, snapshot, options);
    await writing.begin();
    await pipeline(writing.chunks(), createGzip({ level: LEVEL }), sink, {
      signal: options.signal,
      end: sink !== process.stdout,
    });
    return writing.result();
  } finally {
    await snapshot.close();
  }
}

class BackupWriter {
  readonly #deps: BackupDeps;
  readonly #snapshot: Snapshot;
  readonly #options: BackupOptions;
  readonly #hash = createHash('sha256');
  readonly #counts: Record<string, number> = {};
  readonly #outside = { contents: 0, bytes: 0 };
  #header: BackupHeader | undefined;
  #end = { rows: 0, contents: 0, content_bytes: 0, missing: 0 };
  #sha256 = '';

  constructor(deps: BackupDeps, snapshot: Snapshot, options: BackupOptions) {
    this.#deps = deps;
    this.#snapshot = snapshot;
    this.#options = options;
  }

  async begin(): Promise<void> {
    const { family, migrations, tables } = this.#snapshot;
    this.#header = {
      svc_backup: FORMAT,
      svc: this.#deps.version,
      made_at: this.#deps.clock.now(),
      store: family,
      migrations,
      tables: tables.filter(({ name }) => !TRANSIENT_TABLES.includes(name)),
      keys: await this.#deps.keys.proofs(this.#snapshot),
      artifacts: this.#options.artifacts,
    };
  }

  result(): BackupResult {
    return {
      header: this.#header!,
      counts: this.#counts,
      end: { end: true, ...this.#end, sha256: this.#sha256 },
      foreign: this.#snapshot.foreign,
      outside: this.#outside,
    };
  }

  async *chunks(): AsyncGenerator<Buffer> {
    yield this.#hashChunk(headerLine(this.#header!));
    for (const table of this.#header!.tables) yield* this.#writeTable(table);
    yield* this.#writeContents();
    this.#sha256 = this.#hash.digest('hex');
    yield Buffer.from(markerLine({ end: true, ...this.#end, sha256: this.#sha256 }));
  }

  async *#writeTable(table: CopiedTable): AsyncGenerator<Buffer> {
    const { name } = table;
    yield this.#hashChunk(markerLine({ table: name }));
    const hash = createHash('sha256');
    let count = 0;
    for await (const rows of this.#snapshot.rows(table)) {
      const lines = this.#hashChunk(rows.map(rowLine).join(''));
      hash.update(lines);
      count += rows.length;
      this.#options.progress.add(name, { rows: rows.length, bytes: lines.length });
      yield lines;
    }
    this.#counts[name] = count;
    this.#end.rows += count;
    yield this.#hashChunk(markerLine({ table_end: name, rows: count, sha256: hash.digest('hex') }));
  }

  async *#writeContents(): AsyncGenerator<Buffer> {
    if (!this.#snapshot.tables.some(({ name }) => name === 'artifacts_files')) return;
    const { contents } = this.#deps;
    for await (const content of contents.list(this.#snapshot)) {
      if (!this.#options.artifacts) {
        this.#outside.contents += 1;
        this.#outside.bytes += content.size;
      } else if (await this.#isThere(content)) {
        yield this.#hashChunk(markerLine({ content }));
        for await (const piece of contents.read(content)) {
          this.#options.progress.add('artifacts', { bytes: piece.length });
          yield this.#hashChunk(piece);
        }
        this.#end.contents += 1;
        this.#end.content_bytes += content.size;
      } else this.#end.missing += 1;
    }
  }

  /** A run that was pruned after the snapshot has no content any more, while an unavailable store is an error. */
  async #isThere(content: Parameters<ArtifactContents['read']>[0]): Promise<boolean> {
    try {
      if (content.size > 0) for await (const _ of this.#deps.contents.read(content)) break;
      return true;
    } catch (error) {
      if (!isServiceError(error, 'artifact_store_unavailable')) throw error;
      const now = await this.#deps.copies.snapshot();
      try {
        if (await this.#deps.contents.isNamed(now, content)) throw error;
        return false;
      } finally {
        await now.close();
      }
    }
  }

  #hashChunk(chunk: string | Buffer): Buffer {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.#hash.update(bytes);
    return bytes;
  }
}
