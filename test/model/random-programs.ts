import { startTarget } from '../../features/support/target.ts';
import { generate } from './generate.ts';
import { play } from './play.ts';

export interface Plan {
  /** Absent: SQLite. */
  database_url?: string;
  programs: number;
  seed: number;
  /** Programs that run side by side. */
  at_once: number;
}

/** Runs random programs against the model; answers what differs, each with the seed of its program. */
export async function randomPrograms({ database_url, programs, seed, at_once }: Plan): Promise<string[]> {
  const target = await startTarget({ agents: 2, ...(database_url === undefined ? {} : { database_url }) });
  const found: string[] = [];
  let next = 0;
  const lane = async () => {
    while (next < programs) {
      const program = generate(seed + next++);
      found.push(...(await play(target, program)));
    }
  };
  try {
    await Promise.all(Array.from({ length: at_once }, lane));
    return found;
  } finally {
    await target.close();
  }
}
