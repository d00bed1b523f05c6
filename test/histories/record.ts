// Records the histories of this version, by real runs on a real server: `node test/histories/record.ts`. What is there
// already stays as it is: a history is what earlier versions wrote.
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Assignment } from '../../plugins/execution/agents/contract.ts';
import { until } from '../../features/support/process.ts';
import { withScripts } from '../bench/own-agent.ts';
import { clone, Place } from '../bench/place.ts';
import { type History, recordings, scripts } from './history.ts';

/** Only the agent in this process has it: it sees what is handed over. */
const OURS = 'histories';

async function record(place: Place, script: { filename: string; source: string }, version: string): Promise<History> {
  let last: Assignment | undefined;
  return withScripts(place, { capability: OURS, seen: (assignment) => (last = assignment) }, async () => {
    const api = place.api();
    const run_id = await api.submit({ ...script, requires: [OURS] });
    await api.signal(run_id, 'go');
    // Not before it waits for it: what is recorded at once is handed to no later pass.
    await until('the script to come to its end', 120_000, async () => {
      const { status, substate } = await api.run(run_id);
      if (status === 'failed') throw new Error(JSON.stringify(await api.run(run_id)));
      return (substate as { name?: string } | undefined)?.name === 'end' || undefined;
    });
    await api.signal(run_id, 'end');
    await api.reaches(run_id, 'succeeded');
    const { output } = await api.run(run_id);
    const calls = await api.steps(run_id);
    api.close();
    // The calls after the last pass began are none: each script ends with a wait.
    if (last?.journal.length !== calls) throw new Error(`${last?.journal.length} of ${calls} records were handed over`);
    return { version, ...script, journal: last.journal, output };
  });
}

const { version } = JSON.parse(await readFile(join(clone, 'package.json'), 'utf8')) as { version: string };
await mkdir(recordings, { recursive: true });
const place = await Place.open({ agents: 1 });
try {
  for (const script of await scripts()) {
    const path = join(recordings, `${version}-${script.filename}.json`);
    const known = await access(path).then(
      () => true,
      () => false,
    );
    if (known) console.log(`${path} is there already`);
    else await writeFile(path, `${JSON.stringify(await record(place, script, version), null, 2)}\n`);
  }
} finally {
  await place.close();
}
