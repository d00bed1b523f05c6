import { until } from '../../../features/support/process.ts';
import type { ClusterPlace } from '../place.ts';
import { pause } from '../races/race.ts';
import type { Progress } from './progress.ts';

export const STRIKES = ['agent', 'server', 'node', 'isolation', 'donor', 'partition'] as const;
export type Strike = (typeof STRIKES)[number];

export interface Struck {
  strike: Strike;
  victim: number;
  /** Longest time without any progress (after a server's death: of the other servers' runs), in s. */
  stall: number;
  /** The same while what was struck came back. */
  back: number;
}

/** Longer than the cluster needs to give up a node that is gone. */
const WATCHED_MS = 14_000;

/** Strikes one victim for real, watches what goes on, and brings it back. */
export async function strike(what: Strike, victim: number, place: ClusterPlace, progress: Progress): Promise<Struck> {
  const since = performance.now();
  await HURT[what](place, victim);
  if (what !== 'agent') await pause(what === 'server' ? 4000 : WATCHED_MS);
  const without = what === 'server' ? victim : undefined;
  const stall = progress.longestStall(since, without);
  const again = performance.now();
  await MEND[what](place, victim);
  return { strike: what, victim, stall, back: progress.longestStall(again, without) };
}

type Act = (place: ClusterPlace, victim: number) => Promise<void>;
const next = (place: ClusterPlace, victim: number) => (victim + 1) % place.cluster.nodes.length;

const HURT: Record<Strike, Act> = {
  agent: (place, victim) => place.strikeAgent(victim),
  server: (place, victim) => place.killServer(victim),
  node: (place, victim) => place.cluster.kill9(victim),
  isolation: (place, victim) => place.cluster.isolate(victim),
  donor: (place, victim) => place.cluster.kill9(victim),
  partition: (place, victim) => place.cluster.partition(victim, next(place, victim)),
};

const MEND: Record<Strike, Act> = {
  agent: async () => undefined,
  server: (place, victim) => place.restartServer(victim),
  node: async (place, victim) => {
    await place.cluster.restart(victim);
    await place.cluster.whole();
  },
  isolation: heal,
  partition: heal,
  donor: killDonor,
};

async function heal({ cluster }: ClusterPlace): Promise<void> {
  await cluster.heal();
  // A node that was thrown out ends itself now and then; an operator's unit starts it again.
  await until('all nodes to be one cluster', 120_000, async () => {
    for (const node of cluster.nodes) if (!node.running) await cluster.restart(node.index);
    return cluster.whole(cluster.nodes.length, 20_000).then(
      () => true,
      () => undefined,
    );
  });
}

/** The node comes back by a whole copy, and the node that it is copied from dies over it. */
async function killDonor({ cluster }: ClusterPlace, victim: number): Promise<void> {
  await cluster.nodes[victim]!.forget();
  cluster.nodes[victim]!.start();
  const others = cluster.nodes.filter(({ index }) => index !== victim);
  const donor = await until('a donor', 60_000, async () => {
    for (const node of others) {
      const status = await node.status().catch(() => undefined);
      if (status?.wsrep_local_state_comment?.startsWith('Donor')) return node;
    }
    return undefined;
  });
  await donor.kill9();
  const last = others.find((node) => node !== donor)!;
  // Without its copy it cannot go on; it ends itself, or is ended here if it still hopes.
  await pause(8000);
  await cluster.kill9(victim);
  await pause(8000);
  const status = await last.status();
  if (status.wsrep_cluster_status !== 'Primary') await cluster.declarePrimary(last.index);
  await last.synced();
  await cluster.nodes[victim]!.forget();
  cluster.nodes[victim]!.start();
  await cluster.nodes[victim]!.synced();
  await cluster.restart(donor.index);
  await cluster.whole();
}
