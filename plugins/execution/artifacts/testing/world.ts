import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { Clock, Database, Ids, Log } from '../../../../kernel/contracts/index.ts';
import { type Claimed, RunEngine } from '../../../engine/runs/contract.ts';
import { bootEngine, type EngineServer, type Store, type TestDatabase } from '../../../../test/kit/index.ts';
import { PartStores } from '../service/part-stores.ts';
import { Sweeper } from '../service/sweeper.ts';
import { DiskStore } from '../stores/disk.ts';

/** A server with artifacts in its own folder, and a run. */
export interface World {
  server: EngineServer;
  folder: string;
  run_id: string;
  /** `/api/v1/…/runs/{run}/artifacts` */
  artifacts: string;
  /** `/api/v1/…/runs/{run}/artifact-uploads` */
  uploads: string;
  /** Creates another run. */
  submit(): Promise<string>;
  /** Claims the activity of the oldest run. */
  claim(): Promise<Claimed>;
  /** Makes all removals due and all uploads stale, then sweeps everything. */
  sweep(): Promise<void>;
  /** Runs one round of what is due. */
  sweepDue(): Promise<void>;
}

export async function openWorld(
  t: Test,
  options: {
    store?: Store;
    database?: TestDatabase;
    folder?: string;
    env?: Record<string, string>;
    limit?: string;
  } = {},
): Promise<World> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'svc-artifacts-')));
  const server = await bootEngine({
    ...(options.store ? { store: options.store } : {}),
    ...(options.database ? { database: options.database } : {}),
    plugins: ['artifacts'],
    env: { SVC_ARTIFACTS: folder, SVC_ARTIFACT_LIMIT: options.limit ?? '64MiB', ...options.env },
  });
  t.teardown(async () => {
    await server.close();
    if (!options.folder) await rm(folder, { recursive: true, force: true });
  });
  const submit = async () => (await server.use(RunEngine).submit(server.submit())).run_id;
  const run_id = await submit();
  const { use } = server;
  const opener = { open: () => DiskStore.open(folder, use(Ids)), find: () => DiskStore.find(folder) };
  const parts = { database: use(Database), ids: use(Ids), clock: use(Clock), log: use(Log) };
  const sweeper = new Sweeper({ ...parts, stores: new PartStores(opener), onRemoved: () => undefined });
  return {
    ...{ server, folder, run_id, submit, claim: () => server.claim() },
    artifacts: `${server.scoped}/runs/${run_id}/artifacts`,
    uploads: `${server.scoped}/runs/${run_id}/artifact-uploads`,
    async sweepDue() {
      const { failure } = await sweeper.sweep();
      if (failure !== undefined) throw failure;
    },
    async sweep() {
      await use(Database).write('UPDATE artifacts_uploads SET touched_at = 0');
      for (let again = true; again; ) {
        await use(Database).write('UPDATE artifacts_removals SET due = 0');
        const { processed, failure } = await sweeper.sweep();
        if (failure !== undefined) throw failure;
        again = processed > 0;
      }
    },
  };
}
