import { once } from 'node:events';
import { startGalera } from './galera.ts';

/** `node test/cluster/nodes.ts`: three Galera nodes, their URLs (of a new database), until SIGINT or SIGTERM. */
const cluster = await startGalera();
if ('reason' in cluster) throw new Error(cluster.reason);
const database = await cluster.createDatabase();
for (const { index } of cluster.nodes) console.log(cluster.url(index, database));
const stay = setInterval(() => undefined, 60_000);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
clearInterval(stay);
await cluster.close();
