import mysql2, { type Connection, type PreparedStatementInfo, type RowDataPacket } from 'mysql2/promise';
import { randomFrom } from '../crash/chaos.ts';
import type { Galera } from './galera.ts';

/**
 * COMMIT that answers OK for a transaction that is not there, without svc. When a replicated transaction aborts one
 * that is between two statements, the next statement is to say so (1213). If that is the preparation of a SELECT, the
 * error is swallowed: the transaction is gone, and what follows is committed statement by statement.
 */
export const MODES = {
  within: 'prepared for the first time in the transaction',
  before: 'prepared before the transaction',
  text: 'text protocol',
  check: 'prepared within, @@in_transaction read before COMMIT',
} as const;
export type Mode = keyof typeof MODES;

export interface Losses {
  mode: Mode;
  /** COMMIT answered OK. */
  committed: number;
  /** Refused by the server with an error, and done again. */
  retried: number;
  /** Found before COMMIT by `@@in_transaction`, and done again. */
  detected: number;
  /** Committed, they said, and nothing of it is there. */
  lost: number;
  /** Committed, they said, and only a part of it is there. */
  half: number;
}

const ROWS = 6;
const WRITERS_A_NODE = 3;
const READ = 'SELECT n FROM hot WHERE id = ?';
const LOCK = 'SELECT n FROM hot WHERE id = ? FOR UPDATE';
const COUNT = 'UPDATE hot SET n = n + 1 WHERE id = ?';
const NOTE = 'INSERT INTO noted (tx, part) VALUES (?, ?)';
/** Of a transaction that another one has aborted, or that could not be certified. */
const REFUSED = new Set([1213, 1205, 1047, 1180]);

/** Transactions that conflict over all nodes, and what is missing of those that were acknowledged. */
export async function loseCommits(cluster: Galera, mode: Mode, wanted: number, seed: number): Promise<Losses> {
  const database = await cluster.createDatabase();
  await makeTables(cluster, database);
  const plan = { mode, seed, share: Math.ceil(wanted / (cluster.nodes.length * WRITERS_A_NODE)) };
  const writers = cluster.nodes.flatMap(({ index }) =>
    Array.from({ length: WRITERS_A_NODE }, (_, n) => new Writer(plan, index * WRITERS_A_NODE + n)),
  );
  await Promise.all(writers.map((writer, n) => writer.write(cluster.url(Math.floor(n / WRITERS_A_NODE), database))));
  const committed = writers.flatMap((one) => one.committed);
  const parts = await partsThere(cluster, database);
  const sum = (pick: (writer: Writer) => number) => writers.reduce((total, one) => total + pick(one), 0);
  return {
    mode,
    committed: committed.length,
    retried: sum((one) => one.retried),
    detected: sum((one) => one.detected),
    lost: committed.filter((tx) => !parts.has(tx)).length,
    half: committed.filter((tx) => parts.get(tx) === 1).length,
  };
}

async function makeTables(cluster: Galera, database: string): Promise<void> {
  await cluster.nodes[0]!.use(async (connection) => {
    await connection.query(`USE ${database}`);
    await connection.query('CREATE TABLE hot (id INT PRIMARY KEY, n INT NOT NULL)');
    await connection.query('CREATE TABLE noted (tx BIGINT, part INT, PRIMARY KEY (tx, part))');
    for (let id = 0; id < ROWS; id += 1) await connection.query('INSERT INTO hot VALUES (?, 0)', [id]);
  });
  // The tables have come to a node when it has applied what was committed before.
  for (const node of cluster.nodes)
    await node.use(async (connection) => {
      await connection.query('SET SESSION wsrep_sync_wait = 1');
      await connection.query(`SELECT COUNT(*) FROM ${database}.hot`);
    });
}

/** How many parts of each transaction are on the first node once it has applied everything. */
async function partsThere(cluster: Galera, database: string): Promise<Map<number, number>> {
  return cluster.nodes[0]!.use(async (connection) => {
    await connection.query('SET SESSION wsrep_sync_wait = 1');
    const [rows] = await connection.query<RowDataPacket[]>(
      `SELECT tx, COUNT(*) AS parts FROM ${database}.noted GROUP BY tx`,
    );
    return new Map(rows.map(({ tx, parts }) => [Number(tx), Number(parts)]));
  });
}

class Writer {
  readonly committed: number[] = [];
  retried = 0;
  detected = 0;
  readonly #plan: { mode: Mode; share: number };
  readonly #number: number;
  readonly #random: () => number;
  #prepared: Map<string, PreparedStatementInfo> | undefined;
  #texts = 0;

  constructor(plan: { mode: Mode; share: number; seed: number }, number: number) {
    this.#plan = plan;
    this.#number = number;
    this.#random = randomFrom(plan.seed * 1000 + number);
  }

  async write(uri: string): Promise<void> {
    const connection = await mysql2.createConnection({ uri, maxPreparedStatements: 16 });
    try {
      await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
      if (this.#plan.mode === 'before') await this.#prepare(connection);
      for (let attempt = 0; this.committed.length < this.#plan.share; attempt += 1) {
        const tx = this.#number * 1_000_000 + attempt;
        if (await this.#transact(connection, tx)) this.committed.push(tx);
      }
    } finally {
      await connection.end();
    }
  }

  async #transact(connection: Connection, tx: number): Promise<boolean> {
    try {
      return await this.#attempt(connection, tx);
    } catch (error) {
      if (!REFUSED.has((error as { errno?: number }).errno ?? 0)) throw error;
      this.retried += 1;
      await connection.query('ROLLBACK');
      return false;
    }
  }

  async #attempt(connection: Connection, tx: number): Promise<boolean> {
    const row = () => Math.floor(this.#random() * ROWS);
    const [a, b] = [row(), row()];
    await connection.query('BEGIN');
    await this.#run(connection, LOCK, [a]);
    await this.#run(connection, COUNT, [a]);
    await this.#run(connection, NOTE, [tx, 1]);
    for (let times = 0; times < 3; times += 1) await this.#run(connection, READ, [b]);
    await this.#run(connection, NOTE, [tx, 2]);
    await this.#run(connection, READ, [a]);
    if (this.#plan.mode === 'check' && !(await stands(connection))) {
      this.detected += 1;
      return false;
    }
    await connection.query('COMMIT');
    return true;
  }

  async #prepare(connection: Connection): Promise<void> {
    this.#prepared = new Map();
    for (const sql of [READ, LOCK, COUNT, NOTE]) this.#prepared.set(sql, await connection.prepare(sql));
  }

  async #run(connection: Connection, sql: string, values: number[]): Promise<void> {
    this.#texts += 1;
    if (this.#plan.mode === 'text') await connection.query(sql, values);
    else if (this.#prepared) await this.#prepared.get(sql)!.execute(values);
    // A text that was never seen, so that it is prepared here.
    else await connection.execute(`${sql} /* ${this.#texts} */`, values);
  }
}

async function stands(connection: Connection): Promise<boolean> {
  const [rows] = await connection.query<RowDataPacket[]>('SELECT @@in_transaction AS stands');
  return rows[0]?.stands === 1;
}

/** One line for each mode, as a table. */
export function lossTable(all: readonly Losses[]): string[] {
  const heads = ['committed', 'retried', 'detected', 'lost', 'half'] as const;
  const line = (cells: readonly (string | number)[], text: string) =>
    `${cells.map((cell) => String(cell).padStart(10)).join('')}  ${text}`;
  return [
    line(heads, 'statements'),
    ...all.map((one) =>
      line(
        heads.map((head) => one[head]),
        MODES[one.mode],
      ),
    ),
  ];
}
