// A server for the tests to kill: it dies at the failpoints of SVC_FAILPOINTS. Arguments: database, key, folder, and `claim` to
// claim the activity of its run.
import { bootEngine } from '../../../../test/kit/index.ts';
import { RunEngine, RunStore } from '../../../engine/runs/contract.ts';

const [url = '', master_key = '', folder = '', claims = ''] = process.argv.slice(2);
const server = await bootEngine({
  plugins: ['artifacts'],
  database: { url, master_key, drop: async () => undefined },
  env: { SVC_ARTIFACTS: folder, SVC_FAILPOINTS: process.env['SVC_FAILPOINTS'] },
});
const { run_id } = await server.use(RunEngine).submit(server.submit());
const by = { agent_id: 'agt_1', capabilities: ['bash'] };
const [claim] = claims === 'claim' ? await server.use(RunStore).claim(by, 1, 600_000) : [];
process.stdout.write(`${JSON.stringify({ url: server.url, scoped: server.scoped, run_id, claim })}\n`);
