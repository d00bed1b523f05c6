import { createHash, type Hash } from 'node:crypto';
import { isServiceError } from '../../../kernel/contracts/index.ts';
import type { StoredContent } from '../../artifacts/contract.ts';
import { type CopiedRow, type CopiedTable, CopyErrors } from '../../database/contract.ts';
import { type BackupEnd, type BackupHeader, type Mark, readHeader } from './header.ts';
import { LineReader } from './lines.ts';
import { readRow } from './values.ts';

const MAX_ROWS = 500;
const MAX_BYTES = 1024 * 1024;

/** What becomes of the parts of a backup. */
export interface BackupVisitor {
  header(header: BackupHeader): Promise<void>;
  /** Some rows of a table. */
  rows(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>;
  /** `take` gives the next bytes of the content. What is not taken is passed over, and checked too. */
  content(content: StoredContent, take: (bytes: number) => AsyncIterable<Buffer>): Promise<void>;
}

/** Rows of each table, by its name. */
export type RowCounts = Readonly<Record<string, number>>;

/** Reads a backup, unpacked, from its first byte to its last. Throws `backup_damaged` unless all of it is there as it was written. */
export async function readBackup(
  source: AsyncIterable<Buffer>,
  visitor: BackupVisitor,
): Promise<{ header: BackupHeader; counts: RowCounts; end: BackupEnd }> {
  const reader = new LineReader(source);
  const first = await reader.line();
  const header = readHeader(first && parsed(first));
  reader.count(first!);
  await visitor.header(header);
  const body = new Body(reader, header, visitor);
  const end = await body.read();
  if ((await reader.line()) !== undefined) throw CopyErrors.damaged('something follows its last line');
  return { header, counts: body.counts, end };
}

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch (cause) {
    throw CopyErrors.damaged('a line in it is no JSON', { cause });
  }
}

class Body {
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
      const line = await this.#line('it ends before its last line');
      const mark = parsed(line) as Mark;
      if ('end' in mark) return this.#checked(mark);
      this.#reader.count(line);
      if ('table' in mark) await this.#table(mark.table);
      else if ('content' in mark) await this.#content(mark.content);
      else throw CopyErrors.damaged('a line in it is out of place');
    }
  }

  async #line(fault: string): Promise<Buffer> {
    const line = await this.#reader.line();
    if (line === undefined) throw CopyErrors.damaged(fault);
    return line;
  }

  async #table(name: string): Promise<void> {
    const table = this.#header.tables.find((one) => one.name === name);
    if (!table || name in this.counts)
      throw CopyErrors.damaged('it has a table that its first line does not name, or twice');
    const hash = createHash('sha256');
    let [some, bytes, count]: [CopiedRow[], number, number] = [[], 0, 0];
    for (;;) {
      const line = await this.#line(`it ends in the table ${name}`);
      this.#reader.count(line);
      const content = parsed(line);
      const last = !Array.isArray(content);
      if (last || some.length >= MAX_ROWS || bytes >= MAX_BYTES) {
        if (some.length > 0) await this.#visitor.rows(table, some);
        [some, bytes] = [[], 0];
      }
      if (last) {
        this.counts[name] = checkedCount(name, content as Mark, count, hash);
        return;
      }
      some.push(readRow(content, table.columns.length));
      hash.update(line).update('\n');
      bytes += line.length;
      count += 1;
    }
  }

  async #content(content: StoredContent): Promise<void> {
    const { size, digest, parts } = content;
    if (!Number.isSafeInteger(size) || !Array.isArray(parts)) throw CopyErrors.damaged('a content in it has no size');
    const hash = createHash('sha256');
    let left = size;
    const take = (bytes: number) => {
      left -= bytes;
      return hashed(this.#reader.bytes(bytes), hash);
    };
    await this.#visitor.content(content, take);
    for await (const _ of take(left));
    if (hash.digest('hex') !== digest) throw CopyErrors.damaged(`the content ${content.blob_id} is not what it was`);
    this.#contents += 1;
    this.#content_bytes += size;
  }

  #checked(end: BackupEnd): BackupEnd {
    const rows = Object.values(this.counts).reduce((sum, count) => sum + count, 0);
    const absent = this.#header.tables.find(({ name }) => !(name in this.counts));
    if (absent) throw CopyErrors.damaged(`the rows of the table ${absent.name} are missing`);
    if (end.sha256 !== this.#reader.digest()) throw CopyErrors.damaged('its digest is not that of its content');
    if (end.rows !== rows || end.contents !== this.#contents || end.content_bytes !== this.#content_bytes)
      throw CopyErrors.damaged('it does not hold as much as its last line says');
    return end;
  }
}

async function* hashed(source: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    hash.update(piece);
    yield piece;
  }
}

function checkedCount(name: string, mark: Mark, count: number, hash: Hash): number {
  if ('table_end' in mark && mark.table_end === name && mark.rows === count && mark.sha256 === hash.digest('hex'))
    return count;
  throw CopyErrors.damaged(`the rows of the table ${name} are not those that were written`);
}

const CUT = new Set(['Z_BUF_ERROR', 'Z_DATA_ERROR', 'ERR_STREAM_PREMATURE_CLOSE']);

/** What unpacking has to say of a damaged file. */
export function damageOf(error: unknown): unknown {
  if (isServiceError(error)) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  return CUT.has(code) ? CopyErrors.damaged(`it cannot be unpacked: ${message}`, { cause: error }) : error;
}
