import type { Ids, Log } from '../../../../kernel/contracts/index.ts';
import type { Wakeups } from '../../../engine/runs/contract.ts';
import type { Introduction } from '../store/agent-table.ts';

let counter = 0;
export const ids: Ids = {
  next(prefix) {
    counter += 1;
    return `${prefix}_${String(counter).padStart(26, '0')}`;
  },
  bytes: (count) => Buffer.alloc(count, 0x40),
};

/** Collects log lines for tests to inspect. */
export function keepingLog(): Log & { lines: string[] } {
  const lines: string[] = [];
  const write = (fields: Record<string, unknown>, message: string) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log = { lines, debug: () => {}, info: () => {}, warn: write, error: write, child: () => log };
  return log;
}

export class TestWakeups implements Wakeups {
  readonly #work = new Set<() => void>();
  readonly #revoked = new Set<Parameters<Wakeups['onRevoked']>[0]>();
  work(): void {
    for (const listen of this.#work) listen();
  }
  revoked(claim: Parameters<Wakeups['revoked']>[0]): void {
    for (const listen of this.#revoked) listen(claim);
  }
  onWork(listen: () => void) {
    this.#work.add(listen);
    return () => this.#work.delete(listen);
  }
  onRevoked(listen: Parameters<Wakeups['onRevoked']>[0]) {
    this.#revoked.add(listen);
    return () => this.#revoked.delete(listen);
  }
  timer() {}
  run() {}
  onTimer = () => () => {};
  onRun = () => () => {};
  onRuns = () => () => {};
  paused() {}
  onPaused = () => () => {};
  topic() {}
  onTopic = () => () => {};
}

/** The rows of agents, without a database. */
export class MemoryTable {
  readonly rows = new Map<string, { agent_id: string; session_id: string; online: boolean }>();
  async introduce(intro: Introduction) {
    const key = `${intro.identity.token_id} ${intro.hello.instance}`;
    const agent_id = this.rows.get(key)?.agent_id ?? intro.agent_id;
    this.rows.set(key, { agent_id, session_id: intro.session_id, online: true });
    return agent_id;
  }
  async touch() {
    return [];
  }
  async markOffline(session_id: string) {
    for (const row of this.rows.values()) if (row.session_id === session_id) row.online = false;
  }
  async prune() {
    return 0;
  }
}
