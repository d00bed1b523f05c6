import { join } from 'node:path';
import { type Fleet, underAttack, type Victim } from '../crash/chaos.ts';
import { sqlViolations } from '../crash/verdict.ts';
import { Attended } from './attend.ts';
import { examples } from './catalog.ts';
import { FarEnds } from './far-end.ts';

export interface ExamplesPlan {
  /** Absent: SQLite. */
  database_url?: string;
  servers: number;
  agents: number;
  /** How often something is killed while the examples run. */
  kills: number;
  seed: number;
  only?: readonly string[];
}

export interface ExamplesResult {
  struck: number;
  /** Everything that is not as promised. */
  found: string[];
}

/** Runs all examples side by side while agents, servers and scripts are killed at random. */
export async function runExamples(plan: ExamplesPlan): Promise<ExamplesResult> {
  const far_ends = new FarEnds();
  return underAttack(plan, async ({ target, own, fleet, random }) => {
    const wanted = examples.filter(({ name }) => plan.only?.includes(name) ?? true);
    const found: string[] = [];
    let struck = 0;
    // The examples are soon over: they are run again until everything that was planned was struck.
    for (let round = 0; round === 0 || (struck < plan.kills && found.length === 0); round += 1) {
      const attended: Attended[] = [];
      for (const example of wanted) {
        const folder = join(own.folder, `${example.name}-${round}`);
        attended.push(await Attended.submit(target, example, { folder, far_end: await far_ends.open() }));
      }
      let over = false;
      const ends = Promise.all(attended.map((one) => one.end())).finally(() => {
        over = true;
      });
      struck += await strike(plan.kills - struck, fleet, attended, random, () => over);
      found.push(...(await ends).flat());
    }
    return { struck, found: [...found, ...(await sqlViolations(own.env))] };
  }).finally(() => far_ends.stop());
}

async function strike(
  kills: number,
  fleet: Fleet,
  attended: readonly Attended[],
  random: () => number,
  over: () => boolean,
): Promise<number> {
  const victims: readonly Victim[] = ['script', 'script', 'agent', 'server'];
  let struck = 0;
  while (struck < kills && !over()) {
    await new Promise((resolve) => setTimeout(resolve, 50 + random() * 400));
    const script = attended[Math.floor(random() * attended.length)]!;
    if (await fleet.strike(victims[Math.floor(random() * victims.length)]!, script)) struck += 1;
  }
  return struck;
}
