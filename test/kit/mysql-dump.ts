import mysql, { type Connection } from 'mysql2/promise';

/** Connects to a server, without a database; a query may hold several statements. */
export function connectToServer(url: URL): Promise<Connection> {
  const socketPath = url.searchParams.get('socket') ?? undefined;
  return mysql.createConnection({
    host: url.hostname,
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    ...(socketPath ? { socketPath } : {}),
    multipleStatements: true,
    // Every value as the text or the bytes that it is.
    ...{ supportBigNumbers: true, bigNumberStrings: true, dateStrings: true, jsonStrings: true },
  });
}

/** All tables and rows of a database as one text of statements, which fill another one in one round trip. */
export async function dumpDatabase(url: string): Promise<string> {
  const connection = await connectToServer(new URL(url));
  try {
    await connection.query(`USE ${nameOf(url)}`);
    const statements = ['SET foreign_key_checks = 0'];
    for (const [table = ''] of await rowsOf(connection, 'SHOW TABLES')) {
      const [[, made = ''] = []] = await rowsOf(connection, `SHOW CREATE TABLE \`${table}\``);
      statements.push(made);
      const rows = await rowsOf(connection, `SELECT * FROM \`${table}\``);
      if (rows.length > 0) statements.push(mysql.format(`INSERT INTO \`${table}\` VALUES ?`, [rows]));
    }
    return statements.join(';\n');
  } finally {
    await connection.end();
  }
}

/** Fills a database of no tables with what was dumped; false where it has tables already. */
export async function loadDump(url: string, dump: string): Promise<boolean> {
  const connection = await connectToServer(new URL(url));
  try {
    await connection.query(`USE ${nameOf(url)}`);
    if ((await rowsOf(connection, 'SHOW TABLES')).length > 0) return false;
    await connection.query(dump);
    return true;
  } finally {
    await connection.end();
  }
}

const nameOf = (url: string) => `\`${new URL(url).pathname.slice(1)}\``;

async function rowsOf(connection: Connection, sql: string): Promise<string[][]> {
  const [rows] = await connection.query({ sql, rowsAsArray: true });
  return rows as unknown as string[][];
}
