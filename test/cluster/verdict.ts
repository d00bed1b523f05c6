import type { RowDataPacket } from 'mysql2/promise';
import { checkBusInvariants } from '../../plugins/events/bus/testing/invariants.ts';
import { checkFlows } from '../../plugins/engine/flows/testing/invariants.ts';
import { checkHandlerInvariants } from '../../plugins/events/handlers/testing/invariants.ts';
import { checkLockInvariants } from '../../plugins/execution/locks/testing/invariants.ts';
import { checkRuns } from '../kit/index.ts';
import type { GaleraNode } from './galera-node.ts';
import type { Galera } from './galera.ts';

/** What breaks the invariants, by the nodes that have it so, once each has applied what was committed before. */
export async function brokenOnNodes(cluster: Galera, database: string): Promise<string[]> {
  const nodes = new Map<string, number[]>();
  await help(cluster.nodes[0]!, database);
  for (const node of cluster.nodes) {
    await caughtUp(node);
    for (const line of await brokenOn(node, database)) nodes.set(line, [...(nodes.get(line) ?? []), node.index]);
  }
  return [...nodes].map(([line, on]) => `${line} (on node ${on.join(', ')})`);
}

/** Tables whose rows differ between nodes. Only where nobody writes any more. */
export async function differences(cluster: Galera, database: string): Promise<string[]> {
  const sums: Map<string, string>[] = [];
  for (const node of cluster.nodes) {
    await caughtUp(node);
    sums.push(await contents(node, database));
  }
  const [first, ...others] = sums;
  const tables = [...first!.keys()];
  return tables
    .filter((table) => others.some((one) => one.get(table) !== first!.get(table)))
    .map((table) => `${table} differs: ${sums.map((one) => one.get(table)).join(' | ')}`);
}

/** Resolves when a node has applied all that was committed on any when it was called. */
async function caughtUp(node: GaleraNode): Promise<void> {
  await node.use(async (connection) => {
    await connection.query('SET SESSION wsrep_sync_wait = 1');
    await connection.query('SELECT COUNT(*) FROM mysql.user');
  });
}

/** By table: the number of its rows and a checksum of them. */
function contents(node: GaleraNode, database: string): Promise<Map<string, string>> {
  return node.use(async (connection) => {
    const [tables] = await connection.query<RowDataPacket[]>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${database}' ORDER BY 1`,
    );
    const found = new Map<string, string>();
    for (const { name } of tables) {
      const [[count]] = await connection.query<RowDataPacket[]>(`SELECT COUNT(*) AS n FROM ${database}.${name}`);
      const [[sum]] = await connection.query<RowDataPacket[]>(`CHECKSUM TABLE ${database}.${name}`);
      found.set(String(name), `${count?.n} rows, ${sum?.Checksum}`);
    }
    return found;
  });
}

/** The statements compare every run with every event, which takes minutes after some thousand runs without these. */
async function help(node: GaleraNode, database: string): Promise<void> {
  await node.use(async (connection) => {
    await connection.query(`CREATE INDEX IF NOT EXISTS of_the_test ON ${database}.bus_events (source_name(64))`);
    await connection.query(`CREATE INDEX IF NOT EXISTS of_the_test ON ${database}.bus_deliveries (run_id)`);
  });
}

function brokenOn(node: GaleraNode, database: string): Promise<string[]> {
  return node.use(async (connection) => {
    await connection.query(`USE ${database}`);
    const reader = {
      // A connection of our own, for it may take longer than a server of svc would wait.
      read: async <R>(sql: string, params: readonly unknown[] = []) =>
        (await connection.query<RowDataPacket[]>(sql, [...params]))[0] as unknown as R[],
      now: () => Date.now(),
    };
    return [
      ...(await checkRuns(reader)),
      ...(await checkLockInvariants(reader)),
      ...(await checkBusInvariants(reader)),
      ...(await checkHandlerInvariants(reader)),
      ...(await checkFlows(reader)),
    ];
  });
}
