import { BoundedMap } from '../../../../kernel/contracts/index.ts';

const MAX_ENTRIES = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** The statements that change one table and name it first; all others may change any. */
const WRITTEN_TABLE =
  /^\s*(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+[`"]?(\w+)/i;

/** The table that a statement writes; undefined when the statement does not tell. */
export const writtenTable = (statement: string): string | undefined => WRITTEN_TABLE.exec(statement)?.[1];

/** The state of some tables at a moment. */
export interface TableVersions {
  readonly epoch: number;
  readonly versions: readonly number[];
}

interface Entry extends TableVersions {
  value: unknown;
  bytes: number;
}

/**
 * Values that were read from tables, each valid until one of its tables changes. The writer of a database reports every
 * change of its own; a change by another process, or a rollback, invalidates all values.
 */
export class TableCache {
  readonly #versions = new Map<string, number>();
  readonly #entries = new BoundedMap<string, Entry>(MAX_ENTRIES, {
    max_weight: MAX_BYTES,
    weigh: ({ bytes }) => bytes,
  });
  #epoch = 0;
  #data_version: unknown;

  get(key: string, tables: readonly string[]): { value: unknown } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.epoch !== this.#epoch) return undefined;
    return tables.every((table, index) => this.#versionOf(table) === entry.versions[index]) ? entry : undefined;
  }

  /** Stores what was read when the tables were in this state. Once they are in another one, it is not returned. */
  set(key: string, value: unknown, { epoch, versions }: TableVersions, bytes = 0): void {
    this.#entries.set(key, { value, epoch, versions, bytes });
  }

  versionsOf(tables: readonly string[]): TableVersions {
    return { epoch: this.#epoch, versions: tables.map((table) => this.#versionOf(table)) };
  }

  changed(table: string): void {
    this.#versions.set(table, this.#versionOf(table) + 1);
  }

  invalidate(): void {
    this.#epoch += 1;
  }

  /** `PRAGMA data_version` of the writer: another value means that another connection has committed. */
  checkVersion(data_version: unknown): void {
    if (data_version === this.#data_version) return;
    this.#data_version = data_version;
    this.invalidate();
  }

  #versionOf(table: string): number {
    return this.#versions.get(table) ?? 0;
  }
}
