import type { Claimed, InstantClaimer } from '../../plugins/engine/runs/contract.ts';

/** Stands for an agent at this server that begins work at the moment of its creation. */
export class InstantWorker implements InstantClaimer {
  agent_id = 'agt_here';
  capabilities: readonly string[] = ['linux'];
  executors: readonly string[] = ['script'];
  lease_ms = 600_000;
  org_id: string | undefined;
  room = 10;
  load = 0;
  readonly taken: Claimed[] = [];
  #loading: Promise<unknown> = Promise.resolve();

  claimed(load: () => Promise<Claimed | undefined>): void {
    this.room -= 1;
    const loaded = load().then((claimed) => claimed && this.taken.push(claimed));
    this.#loading = Promise.all([this.#loading, loaded]);
  }

  async take(): Promise<Claimed[]> {
    await this.#loading;
    return this.taken.splice(0);
  }
}
