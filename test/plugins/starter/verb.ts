import type { JournaledVerb } from 'svc/runs';
import type { Verb } from 'svc/scripts';
import { countOne } from './store.ts';

/** The server's half: what it writes and the record of the call are one transaction. */
export const countWork: JournaledVerb = {
  kind: 'starter-count',
  perform: async (tx, { project_id }, args) => {
    const { name } = args as { name: string };
    return { exit_code: 0, output: Buffer.from(`${await countOne(tx, project_id, name)}\n`) };
  },
};

/** The agent's half: `svc starter-count <name>` in any script. A replay answers what is on record and counts nothing. */
export const countVerb: Verb = {
  verb: 'starter-count',
  summary: 'count one more, once',
  usage: 'svc starter-count <name>',
  run: async ({ argv, pass }) => {
    const [name] = argv;
    if (name === undefined) return { exit: 2, stderr: 'usage: svc starter-count <name>\n' };
    const { record, replayed } = await pass.perform({ kind: 'starter-count', name }, { name });
    return { exit: record.exit_code, stdout: Buffer.from(record.output, 'base64'), replayed };
  },
};
