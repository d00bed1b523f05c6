/** The part of a mysql2 connection that keeps prepared statements. */
interface Preparing {
  prepare(options: { sql: string; dateStrings: true }, done: (error: Error | null) => void): unknown;
  unprepare(sql: string): unknown;
}

/** For each connection; servers keep about 16,000 for all clients. The driver may keep more, so that it never chooses. */
export const MAX_PREPARED = 256;

/** Which statements a connection has prepared, the one used longest ago first. */
export class PreparedStatements {
  readonly #known = new Set<string>();

  has(sql: string): boolean {
    return this.#known.has(sql);
  }

  /** It has just been run as a prepared statement, so the driver keeps it. */
  used(connection: Preparing, sql: string): void {
    if (this.#known.delete(sql)) {
      this.#known.add(sql);
      return;
    }
    this.#known.add(sql);
    if (this.#known.size <= MAX_PREPARED) return;
    const [oldest] = this.#known;
    this.#known.delete(oldest!);
    connection.unprepare(oldest!);
  }

  /** Must not be called within a transaction. Rejects with the server's error. */
  async prepare(connection: Preparing, sql: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      connection.prepare({ sql, dateStrings: true }, (error) => (error ? reject(error) : resolve()));
    });
    this.used(connection, sql);
  }
}
