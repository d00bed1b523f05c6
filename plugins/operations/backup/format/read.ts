import { createHash, type Hash } from 'node:crypto';
import { isServiceError } from '../../../../kernel/contracts/index.ts';
import type { StoredContent } from '../../../execution/artifacts/contract.ts';
import { type CopiedRow, type CopiedTable, CopyErrors } from '../../../platform/database/contract.ts';
import { type BackupEnd, type BackupHeader, type Marker, readHeader } from './header.ts';
import { LineReader } from './lines.ts';
import { readRow } from './values.ts';

const MAX_ROWS = 500;
const MAX_BYTES = 1024 * 1024;

/** Receives the parts of a backup. */
export interface BackupVisitor {
  header(header: BackupHeader): Promise<void>;
  /** Some rows of a table. */
  rows(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>;
  /** `take` returns the next bytes of the content. Bytes that are not taken are skipped, but verified too. */
  content(content: StoredContent, readBytes: (bytes: number) => AsyncIterable<Buffer>): Promise<void>;
}

/** Rows of each table, by its name. */
export type RowCounts = Readonly<Record<string, number>>;

/**
 * Reads an unpacked backup from its first byte to its last. Throws `backup_damaged` unless it is complete and
 * unchanged.
 */
export async function readBackup(
  source: AsyncIterable<Buffer>,
  visitor: BackupVisitor,
): Promise<{ header: BackupHeader; counts: RowCounts; end: BackupEnd }> {
  const reader = new LineReader(source);
  const first = await reader.readLine();
  const header = readHeader(first && parseLine(first));
  reader.count(first!);
  await visitor.header(header);
  const body = new BodyReader(reader, header, visitor);
  const end = await body.read();
  if ((await reader.readLine()) !== undefined) throw CopyErrors.damaged('there is data after its last line');
  return { header, counts: body.counts, end };
}

function parseLine(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch (cause) {
    throw CopyErrors.damaged('it has a line that is not JSON', { cause });
  }
}

class BodyReader {
  readonly counts: Record<string, number> = {};
  readonly #reader: LineReader;
  readonly #header: BackupHeader;
  readonly #visitor: BackupVisitor;
  #contents = 0;
  #content_bytes = 0;

  constructor(reader: LineReader, header: BackupHeader, visitor: BackupVisitor) {
    this.#reader = reader;
    this.#header = header;
    this.#visitor = visitor;
  }

  async read(): Promise<BackupEnd> {
    for (;;) {
      const line = await this.#readLine('it ends before its last line');
      const marker = parseLine(line) as Marker;
      if ('end' in marker) return this.#verifyEnd(marker);
      this.#reader.count(line);
      if ('table' in marker) await this.#readTable(marker.table);
      else if ('content' in marker) await this.#readContent(marker.content);
      else throw CopyErrors.damaged('it has a misplaced line');
    }
  }

  async #readLine(message: string): Promise<Buffer> {
    const line = await this.#reader.readLine();
    if (line === undefined) throw CopyErrors.damaged(message);
    return line;
  }

  async #readTable(name: string): Promise<void> {
    const table = this.#header.tables.find((one) => one.name === name);
    if (!table || name in this.counts)
      throw CopyErrors.damaged('it has a duplicate table, or a table that its first line does not list');
    const hash = createHash('sha256');
    let [some, bytes, count]: [CopiedRow[], number, number] = [[], 0, 0];
    for (;;) {
      const line = await this.#readLine(`it ends in the table ${name}`);
      this.#reader.count(line);
      const content = parseLine(line);
      const last = !Array.isArray(content);
      if (last || some.length >= MAX_ROWS || bytes >= MAX_BYTES) {
        if (some.length > 0) await this.#visitor.rows(table, some);
        [some, bytes] = [[], 0];
      }
      if (last) {
        this.counts[name] = verifyCount(name, content as Marker, count, hash);
        return;
      }
      some.push(readRow(content, table.columns.length));
      hash.update(line).update('\n');
      bytes += line.length;
      count += 1;
    }
  }

  async #readContent(content: StoredContent): Promise<void> {
    const { size, digest, parts } = content;
    if (!Number.isSafeInteger(size) || !Array.isArray(parts))
      throw CopyErrors.damaged('it has a stored file without a size');
    const hash = createHash('sha256');
    let remaining = size;
    const readBytes = (bytes: number) => {
      remaining -= bytes;
      return hashChunks(this.#reader.bytes(bytes), hash);
    };
    await this.#visitor.content(content, readBytes);
    for await (const _ of readBytes(remaining));
    if (hash.digest('hex') !== digest) throw CopyErrors.damaged(`the content ${content.blob_id} has changed`);
    this.#contents += 1;
    this.#content_bytes += size;
  }

  #verifyEnd(end: BackupEnd): BackupEnd {
    const rows = Object.values(this.counts).reduce((sum, count) => sum + count, 0);
    const absent = this.#header.tables.find(({ name }) => !(name in this.counts));
    if (absent) throw CopyErrors.damaged(`the rows of the table ${absent.name} are missing`);
    if (end.sha256 !== this.#reader.digest()) throw CopyErrors.damaged('its digest does not match its content');
    if (end.rows !== rows || end.contents !== this.#contents || end.content_bytes !== this.#content_bytes)
      throw CopyErrors.damaged('it has less content than its last line states');
    return end;
  }
}

async function* hashChunks(source: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    hash.update(piece);
    yield piece;
  }
}

function verifyCount(name: string, marker: Marker, count: number, hash: Hash): number {
  if (
    'table_end' in marker &&
    marker.table_end === name &&
    marker.rows === count &&
    marker.sha256 === hash.digest('hex')
  )
    return count;
  throw CopyErrors.damaged(`the rows of the table ${name} differ from the rows that were written`);
}

const TRUNCATION_CODES = new Set(['Z_BUF_ERROR', 'Z_DATA_ERROR', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Converts an error of unpacking a damaged file. */
export function toDamageError(error: unknown): unknown {
  if (isServiceError(error)) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  return TRUNCATION_CODES.has(code) ? CopyErrors.damaged(`it cannot be unpacked: ${message}`, { cause: error }) : error;
}
