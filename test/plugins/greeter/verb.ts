import type { JournaledVerb } from 'svc/runs';
import type { Verb } from 'svc/scripts';
import { countGreeting } from './store.ts';

/** The server's half: done and recorded in one transaction. */
export const greetWork: JournaledVerb = {
  kind: 'greet',
  perform: async (tx, context, args) => {
    const { name } = args as { name: string };
    await countGreeting(tx, context.project_id, name);
    return { exit_code: 0, output: Buffer.from(`Hello ${name} from ${context.run_id}\n`) };
  },
};

/** The agent's half: `svc greet <name>` in any script; a replay answers what was recorded. */
export const greetVerb: Verb = {
  verb: 'greet',
  summary: 'greet somebody, once',
  usage: 'svc greet <name>',
  run: async ({ argv, pass }) => {
    const [name] = argv;
    if (name === undefined) return { exit: 2, stderr: 'usage: svc greet <name>\n' };
    const { record, replayed } = await pass.perform({ kind: 'greet', name }, { name });
    return { exit: record.exit_code, stdout: Buffer.from(record.output, 'base64'), replayed };
  },
};
