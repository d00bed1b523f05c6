import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import mysql2, { type Connection, type RowDataPacket } from 'mysql2/promise';
import type { Network } from './network.ts';

const run = promisify(execFile);
const READY_MS = 90_000;
const PROVIDER = '/usr/lib/galera/libgalera_smm.so';

/** One mariadbd on a host of the network. */
export class GaleraNode {
  readonly index: number;
  readonly url: string;
  readonly data: string;
  readonly #network: Network;
  #child: ChildProcess | undefined;
  /** What the program has said before it had a log. */
  #said = '';

  constructor(network: Network, index: number) {
    this.#network = network;
    this.index = index;
    this.data = join(network.folder, `node-${index}`);
    this.url = `mysql://svc@${network.address(index)}:3306`;
  }

  get pid(): number {
    if (!this.running) throw new Error(`node ${this.index} does not run`);
    return this.#child!.pid!;
  }

  get running(): boolean {
    const child = this.#child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** `first`: it makes the cluster; the others join it. `more`: further options. Does not wait. */
  start({ first = false, more = [] }: { first?: boolean; more?: readonly string[] } = {}): void {
    if (this.running) throw new Error(`node ${this.index} runs already`);
    const options = [...this.#options(), ...(first ? ['--wsrep-new-cluster'] : []), ...more];
    const [program = '', ...args] = this.#network.on(this.index, 'mariadbd', ...options);
    this.#child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: this.#network.folder });
    this.#child.stderr!.on('data', (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString()).slice(-3000);
    });
  }

  /** Starts it as Debian's unit does: first it is asked how far it came, so that it need not be sent everything. */
  async startAgain(): Promise<void> {
    const log = `${this.data}.recovered`;
    await rm(log, { force: true });
    const options = [...this.#options().filter((one) => !one.startsWith('--log-error')), `--log-error=${log}`];
    const [program = '', ...args] = this.#network.on(this.index, 'mariadbd', ...options, '--wsrep-recover');
    await run(program, args, { cwd: this.#network.folder }).catch(() => undefined);
    const [, position] = /Recovered position:\s*(\S+)/.exec(await readFile(log, 'utf8').catch(() => '')) ?? [];
    this.start({ more: position === undefined ? [] : [`--wsrep-start-position=${position}`] });
  }

  /** It forgets how far it came, so that it is sent a whole copy (SST). Only while it does not run. */
  async forget(): Promise<void> {
    await rm(this.data, { recursive: true, force: true });
    await mkdir(this.data);
    await run('chown', ['mysql:mysql', this.data]);
  }

  /** SIGKILL for it and what it started (rsync); resolves when they are gone. */
  async kill9(): Promise<void> {
    const child = this.#child;
    const gone = child && this.running ? once(child, 'exit') : undefined;
    await this.#network.killAll(this.index);
    await gone;
  }

  /** Waits until it has all that the others have and takes statements. */
  async synced(bound_ms = READY_MS): Promise<void> {
    for (const until = Date.now() + bound_ms; Date.now() < until; await delay(50)) {
      if (!this.running) break;
      const status = await this.status().catch(() => undefined);
      if (status?.wsrep_local_state_comment === 'Synced' && status.wsrep_ready === 'ON') return;
    }
    const what = this.running ? `was not synced within ${bound_ms} ms` : 'ended before it was synced';
    throw new Error(`node ${this.index} ${what}:\n${this.#said}\n${await this.log(3000)}`);
  }

  /** `SHOW GLOBAL STATUS` by name. Rejects while it does not answer. */
  async status(): Promise<Record<string, string>> {
    return this.use(async (connection) => {
      const [rows] = await connection.query<RowDataPacket[]>('SHOW GLOBAL STATUS');
      return Object.fromEntries(rows.map((row) => [String(row.Variable_name), String(row.Value)]));
    });
  }

  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await mysql2.createConnection({ uri: this.url, connectTimeout: 2000 });
    // It may be killed at any moment: then the statement on its way says so.
    connection.on('error', () => undefined);
    try {
      return await work(connection);
    } finally {
      connection.destroy();
    }
  }

  async log(length: number): Promise<string> {
    return (await readFile(`${this.data}.log`, 'utf8').catch(() => '')).slice(-length);
  }

  #options(): string[] {
    const address = this.#network.address(this.index);
    const all = Array.from({ length: this.#network.hosts }, (_, host) => this.#network.address(host));
    return [
      '--no-defaults',
      '--user=mysql',
      `--datadir=${this.data}`,
      `--socket=${this.data}.sock`,
      `--pid-file=${this.data}.pid`,
      `--log-error=${this.data}.log`,
      `--bind-address=${address}`,
      '--skip-name-resolve',
      // What Galera demands.
      '--binlog-format=ROW',
      '--default-storage-engine=InnoDB',
      '--innodb-autoinc-lock-mode=2',
      '--wsrep-on=ON',
      `--wsrep-provider=${PROVIDER}`,
      `--wsrep-cluster-address=gcomm://${all.join(',')}`,
      `--wsrep-node-address=${address}`,
      `--wsrep-node-name=node-${this.index}`,
      '--wsrep-sst-method=rsync',
      '--wsrep-slave-threads=2',
      // Its own times for suspicion are left as they are: they make the stall that is measured.
      '--wsrep-provider-options=gcache.size=32M;gcache.page_size=8M',
      // Small, because three of them share a machine with what they serve; what is durable is as in production.
      '--innodb-flush-log-at-trx-commit=1',
      '--innodb-buffer-pool-size=96M',
      '--innodb-log-file-size=32M',
      '--key-buffer-size=1M',
      '--performance-schema=OFF',
      '--max-connections=300',
    ];
  }
}
