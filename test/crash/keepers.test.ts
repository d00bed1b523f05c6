import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { until } from '../kit/index.ts';
import { nativePrograms } from '../../plugins/execution/scripts/native/build.mjs';
import { AgentProcesses } from '../../plugins/execution/agents/testing/agent-processes.ts';
import { lacking } from '../kit/needs.ts';

t.setTimeout(300_000);

const { why } = await nativePrograms();
/** More often than an executor may fail. */
const KILLS = 6;

/** The keeper of the process that a command line names so; undefined while there is none. */
async function keeperOf(marked: string): Promise<number | undefined> {
  for (const pid of await readdir('/proc')) {
    const words = /^\d+$/.test(pid) ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : '';
    if (words.split('\0')[0] !== marked) continue;
    for (let at = pid; at !== '1' && at !== '0'; ) {
      const status = await readFile(`/proc/${at}/status`, 'utf8').catch(() => 'PPid:\t0');
      if (/^Name:\s*svc-keeper$/m.test(status)) return Number(at);
      at = /^PPid:\s*(\d+)$/m.exec(status)![1]!;
    }
  }
  return undefined;
}

t.test(
  'children, scripts and jobs outlive what keeps them, however often it is killed',
  lacking('cc', why),
  async (t) => {
    const machine = await AgentProcesses.opened(t);
    machine.spawnAgent('one');
    await machine.online('one');
    const until_let_go = (mark: string) => `[ -e ${join(machine.work, mark)} ] || exec -a ${mark} sleep 1000`;
    const runs = '/api/v1/orgs/acme/projects/main/runs';
    const submit = async (filename: string, source: string): Promise<string> =>
      (await machine.call('POST', runs, { filename, source })).json.run_id;

    const child = `mark-child-${process.pid}`;
    const script = `mark-script-${process.pid}`;
    const job = `mark-job-${process.pid}`;
    const submitted = {
      [child]: await submit('child.sh', `svc activity one -- bash -c '${until_let_go(child)}'`),
      [script]: await submit('script.sh', `svc step one -- bash -c '${until_let_go(script)}'`),
      [job]: await submit('job.yml', `jobs:\n  one:\n    steps:\n      - run: '${until_let_go(job)}'\n`),
    };
    for (const [mark, run_id] of Object.entries(submitted)) {
      for (let killed = 0, last = 0; killed < KILLS; killed += 1) {
        const next = async () => {
          const pid = await keeperOf(mark);
          return pid === last ? undefined : pid;
        };
        last = (await until(next, { what: `${mark} runs` }))!;
        // The last one that is killed has looked before.
        if (killed === KILLS - 1) await writeFile(join(machine.work, mark), '');
        process.kill(last, 'SIGKILL');
      }
      const over = await machine.call('GET', `${runs}/${run_id}?wait=60s`);
      t.match(over.json, { status: 'succeeded' }, mark);
    }
  },
);
