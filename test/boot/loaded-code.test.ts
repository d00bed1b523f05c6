import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Service } from '../../features/support/process.ts';
import { Place } from '../bench/place.ts';

t.setTimeout(600_000);

/** The folder in which V8 lists, when a process ends, what it had loaded. */
const LISTS = 'loaded';

/** Of a process that is stopped for it. */
async function loadedBy(place: Place, service: Service): Promise<string[]> {
  await service.kill('SIGTERM');
  const folder = join(place.folder, LISTS);
  const [list] = (await readdir(folder)).filter((name) => name.startsWith(`coverage-${service.child.pid}-`));
  if (list === undefined) throw new Error(`nothing tells what ${service.child.pid} had loaded:\n${service.log}`);
  const { result } = JSON.parse(await readFile(join(folder, list), 'utf8')) as { result: { url: string }[] };
  return result.map(({ url }) => url);
}

const among = (urls: readonly string[], parts: readonly string[]) =>
  parts.filter((part) => urls.some((url) => url.includes(part)));

const plugins = (...ids: string[]) => ids.map((id) => `/${id}/plugin.`);
const OF_SERVERS = ['/sequelize/', '/restify/', ...plugins('runs', 'database', 'access', 'vault', 'graphs', 'console')];
const OF_BOTH = plugins('agents', 'scripts', 'bus', 'pipelines', 'tracing');
/** The library of expressions: 25 MB. */
const EXPRESSIONS = ['/@bufbuild/cel/'];

t.test('a process loads what its role needs', async (t) => {
  const env = { NODE_V8_COVERAGE: LISTS };
  const place = await Place.open({ env, agent_env: env });
  t.teardown(() => place.close());
  const agent = await loadedBy(place, place.agents[0]!);
  t.same(among(agent, OF_BOTH), OF_BOTH);
  t.same(among(agent, [...OF_SERVERS, ...EXPRESSIONS]), [], 'no code of servers in an agent');
  const server = await loadedBy(place, place.servers[0]!.service);
  t.same(among(server, [...OF_BOTH, ...OF_SERVERS]), [...OF_BOTH, ...OF_SERVERS]);
  t.same(among(server, EXPRESSIONS), [], 'a server that was asked for no expression');
});
