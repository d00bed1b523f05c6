/** CPU time of this thread since `before`, ms: other work on the machine counts for nothing. */
function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** CPU time that this thread spends in `work`, ms. */
export function cpuOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  return cpuSince(before);
}

/** Between two looks at the processor time, ms. The loop sleeps meanwhile: looks in each of its turns would fill a core. */
const LOOK_MS = 1;

/** The longest CPU time for which this thread did not serve its event loop until `work` was done, ms; up to `LOOK_MS` more. */
export async function longestHold<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  let ms = 0;
  let over = false;
  let last = process.threadCpuUsage();
  const tick = () => {
    ms = Math.max(ms, cpuSince(last));
    last = process.threadCpuUsage();
    if (!over) setTimeout(tick, LOOK_MS);
  };
  setTimeout(tick, LOOK_MS);
  try {
    const result = await work();
    return { result, ms: Math.max(ms, cpuSince(last)) };
  } finally {
    over = true;
  }
}

const MEMBERS = `{${Array.from({ length: 130_000 }, (_, n) => `"k${n}":${n}`).join()}}`;

/**
 * The CPU time for which one piece of work may hold the event loop, ms: five readings of an object of 130,000 members,
 * which no server can do in pieces. At least 250; more on a slow machine.
 */
export const maxHoldMs = (): number => Math.max(250, 5 * cpuOf(() => JSON.parse(MEMBERS)));
