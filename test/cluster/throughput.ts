import { readFile } from 'node:fs/promises';
import { together } from '../bench/statistics.ts';
import type { Galera } from './galera.ts';
import { ClusterPlace } from './place.ts';

/** Ticks of the kernel's clock in a second, as /proc counts them. */
const TICKS = 100;
const AT_ONCE = 24;
const SOURCE = `svc step work -- /bin/true
svc emit bench.done --payload '{"n":1}' > /dev/null
`;

export interface Form {
  /** The node of each server. */
  servers: readonly number[];
  projects: number;
}

export const FORMS: readonly Form[] = [1, 10].flatMap((projects) =>
  [[0], [0, 1], [0, 1, 2], [0, 0, 0]].map((servers) => ({ servers, projects })),
);

export interface Figure {
  form: Form;
  runs_a_second: number;
  /** Of servers, agents and scripts, and of the nodes; ms. */
  service_cpu: number;
  node_cpu: number;
  /** For each transaction that was committed: those that a replicated one aborted, that were not certified, deadlocks. */
  aborted: number;
  uncertified: number;
  deadlocks: number;
  /** Answers 503 that callers saw. */
  busy: number;
  /** Runs that did not succeed. */
  failed: number;
}

/** Runs a second of script runs with a step and an event each. Nodes and agents are three in every form. */
export async function throughput(cluster: Galera, form: Form, runs: number, nats_url?: string): Promise<Figure> {
  const place = await ClusterPlace.open(cluster, { servers: form.servers, agents: 3, nats_url });
  try {
    const projects = Array.from({ length: form.projects }, (_, n) => `bench-${n}`);
    for (const project of projects) await place.at(0).in(project).makeProject();
    await work(place, projects, Math.min(runs, 12), 'warm');
    const before = await readings(cluster, place);
    const began = performance.now();
    const failed = await work(place, projects, runs, 'bench');
    const seconds = (performance.now() - began) / 1000;
    const after = await readings(cluster, place);
    return {
      form,
      runs_a_second: runs / seconds,
      service_cpu: (after.service - before.service) / runs,
      node_cpu: (after.nodes - before.nodes) / runs,
      ...share(before, after),
      busy: place.complaints.busy,
      failed,
    };
  } finally {
    await place.close();
  }
}

type Readings = Awaited<ReturnType<typeof readings>>;

function share(before: Readings, after: Readings): Pick<Figure, 'aborted' | 'uncertified' | 'deadlocks'> {
  const committed = after.committed - before.committed;
  const of = (name: 'aborted' | 'uncertified' | 'deadlocks') => (after[name] - before[name]) / committed;
  return { aborted: of('aborted'), uncertified: of('uncertified'), deadlocks: of('deadlocks') };
}

/** Answers how many did not succeed. */
async function work(place: ClusterPlace, projects: readonly string[], runs: number, tag: string): Promise<number> {
  const into = (n: number) => projects[n % projects.length]!;
  await together(runs, AT_ONCE, (n) =>
    place
      .at(n)
      .in(into(n))
      .submit({ source: SOURCE, tags: [tag] }, `${tag}-${n}`),
  );
  const ended = await Promise.all(
    projects.map((project, p) => {
      const count = Array.from({ length: runs }, (_, n) => n).filter((n) => n % projects.length === p).length;
      return place.at(p).in(project).ended(tag, count, 300_000);
    }),
  );
  return ended.flatMap(({ runs }) => runs).filter(({ status }) => status !== 'succeeded').length;
}

async function readings(cluster: Galera, place: ClusterPlace) {
  const cpu = async (pids: number[]) => (await Promise.all(pids.map(cpuOf))).reduce((sum, ms) => sum + ms, 0);
  const status = await Promise.all(cluster.nodes.map((node) => node.status()));
  const sum = (name: string) => status.reduce((total, one) => total + Number(one[name] ?? 0), 0);
  return {
    service: await cpu(place.pids),
    nodes: await cpu(cluster.nodes.map(({ pid }) => pid)),
    aborted: sum('wsrep_local_bf_aborts'),
    uncertified: sum('wsrep_local_cert_failures'),
    deadlocks: sum('Innodb_deadlocks'),
    committed: sum('wsrep_local_commits'),
  };
}

/** Milliseconds of a process and of those that it waited for. */
async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // utime, stime, cutime, cstime.
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return (ticks / TICKS) * 1000;
}

const percent = (value: number) => `${(value * 100).toFixed(2)} %`;

export function figureLine({ form, ...figure }: Figure): string {
  const { servers, projects } = form;
  const where = new Set(servers).size === servers.length ? 'own nodes' : 'one node';
  const name = `${servers.length} server${servers.length > 1 ? 's' : ''} on ${where}, ${projects} project${projects > 1 ? 's' : ''}`;
  return [
    name.padEnd(36),
    `${figure.runs_a_second.toFixed(1)} runs/s`.padStart(12),
    `${figure.service_cpu.toFixed(0)} + ${figure.node_cpu.toFixed(0)} ms CPU a run (service + nodes)`,
    `${percent(figure.aborted)} aborted, ${percent(figure.uncertified)} not certified, ${percent(figure.deadlocks)} deadlocks`,
    `${figure.busy} times 503`,
    ...(figure.failed > 0 ? [`${figure.failed} FAILED`] : []),
  ].join(', ');
}
