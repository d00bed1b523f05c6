import { boot } from '../../../../../test/kit/index.ts';
import { Replay } from '../../../replay/contract.ts';
import { Verbs } from '../../contract.ts';

/** What an agent has of the plugins with verbs. */
const server = await boot({
  plugins: ['scripts', 'locks', 'children', 'bus', 'artifacts', 'asks', 'id-tokens'],
  quiet: true,
});

export const replay = server.use(Replay);
/** All verbs of the built-in plugins. */
export const verbs = server.use.all(Verbs);
await server.close();
