import t from 'tap';
import { Database } from '../../kernel/contracts/index.ts';
import { RunIndexing } from '../../plugins/operations/run-search/contract.ts';
import { boot, countReads, countWalked, STORES } from '../kit/index.ts';
import { type Params, Planter } from './planted.ts';
import { type Asked, BYTES, ROUTES, WALKED } from './routes.ts';

t.setTimeout(600_000);

/** On MySQL there is nothing to count. */
const walking = countWalked();

// @store: what a statement reads.
for (const store of STORES)
  t.test(`no request reads more on ${store} because others stored more`, { timeout: 600_000 }, async (t) => {
    const env = { SVC_RATE_LIMIT: 'off', SVC_ID_TOKENS: 'on', SVC_PUBLIC_URL: 'https://svc.example' };
    const server = await boot({ store, access: 'project', env });
    t.teardown(() => server.close());
    const planter = new Planter(server);
    const params = await planter.plant();
    // It would read, and be counted, beside the requests.
    await server.use(RunIndexing).settle();
    const { json: document } = await server.call(undefined, 'GET /api/v1/openapi.json');
    const paths = document.paths as Record<string, { get?: { parameters?: { name: string }[] } }>;
    const served = Object.entries(paths).flatMap(([path, { get }]) => (get ? [{ path, get }] : []));
    t.same(served.map(({ path }) => path).toSorted(), Object.keys(ROUTES).toSorted(), 'each route has a bound');
    const counted = countReads(server.use(Database));
    for (const { path, get } of served) {
      const listed = get.parameters?.some(({ name }) => name === 'limit') ?? false;
      for (const asked of [ROUTES[path] ?? {}].flat() as Asked[]) {
        const {
          as = 'owner',
          query = '',
          status = 200,
          rows = 1500,
          bytes = listed ? BYTES.list : BYTES.detail,
        } = asked;
        const line = `GET ${filled(path, { ...params, ...named(asked, params) })}${filled(query, params)}`;
        const caller = as === 'agent' ? params.agent : as;
        const { result: answered, walked } = await walking(() => counted(() => server.call(caller, line)));
        const { result, reads } = answered;
        t.equal(result.status, status, `${line}: ${result.status === status ? status : result.text.slice(0, 300)}`);
        const read = asked.streamed ? reads.largest.bytes : reads.bytes;
        t.ok(read <= bytes, `${line} read ${read} of ${bytes} bytes, most for ${reads.largest.statement}`);
        const through = `${line} walked through ${walked.pages} pages, most for ${walked.largest.statement}`;
        t.ok(walked.pages <= (asked.walked ?? WALKED), through);
        if (!asked.streamed) t.ok(reads.rows <= rows, `${line} read ${reads.rows} rows`);
      }
    }
  });

const named = ({ params = {} }: Asked, planted: Params): Params =>
  Object.fromEntries(Object.entries(params).map(([name, from]) => [name, planted[from] ?? from]));

function filled(path: string, params: Params): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`nothing was planted for {${name}} of ${path}`);
    return encodeURIComponent(value);
  });
}
