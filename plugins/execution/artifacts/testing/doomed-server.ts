// A server for the tests to kill: it dies at the failpoints of SVC_FAILPOINTS. Arguments: database, key, folder.
import { bootEngine } from '../../../../test/kit/index.ts';
import { RunEngine } from '../../../engine/runs/contract.ts';

const [url = '', master_key = '', folder = ''] = process.argv.slice(2);
const server = await bootEngine({
  plugins: ['artifacts'],
  database: { url, master_key, drop: async () => undefined },
  env: { SVC_ARTIFACTS: folder, SVC_FAILPOINTS: process.env['SVC_FAILPOINTS'] },
});
const { run_id } = await server.use(RunEngine).submit(server.submit());
process.stdout.write(`${JSON.stringify({ url: server.url, scoped: server.scoped, run_id })}\n`);
