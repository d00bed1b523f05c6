/** The methods of a mysql2 connection for prepared statements. */
interface PreparingConnection {
  prepare(options: { sql: string; dateStrings: true }, done: (error: Error | null) => void): unknown;
  unprepare(sql: string): unknown;
}

/** The limit of each connection: servers keep about 16,000 for all clients. The driver's limit is higher, so it never evicts. */
export const MAX_PREPARED = 256;

/** The statements that a connection has prepared, least recently used first. */
export class PreparedStatements {
  readonly #statements = new Set<string>();

  has(sql: string): boolean {
    return this.#statements.has(sql);
  }

  /** Records that the statement has just run as a prepared one, and evicts the oldest beyond the limit. */
  markUsed(connection: PreparingConnection, sql: string): void {
    if (this.#statements.delete(sql)) {
      this.#statements.add(sql);
      return;
    }
    this.#statements.add(sql);
    if (this.#statements.size <= MAX_PREPARED) return;
    const [oldest] = this.#statements;
    this.#statements.delete(oldest!);
    connection.unprepare(oldest!);
  }

  /** Prepares a statement. Must not be called within a transaction. Rejects with the server's error. */
  async prepare(connection: PreparingConnection, sql: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      connection.prepare({ sql, dateStrings: true }, (error) => (error ? reject(error) : resolve()));
    });
    this.markUsed(connection, sql);
  }
}
