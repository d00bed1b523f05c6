import t from 'tap';
import { boot, STORES } from '../kit/index.ts';

t.setTimeout(600_000);

interface Parameter {
  in: string;
  name: string;
}

interface Operations {
  paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
}

/** Beyond ASCII, beyond the basic plane, and what only looks like ASCII. */
const LETTERS = ['é', '🎉', 'ｒｕｎ'];

/** Values of parameters that lead to the project, so that what stands behind them is asked. */
const KNOWN = (scoped: string): Record<string, string> => {
  const [, org = '', project = ''] = /^\/api\/v1\/orgs\/([^/]+)\/projects\/([^/]+)$/.exec(scoped) ?? [];
  return { org, project };
};

// @store: texts are compared by the collation.
for (const store of STORES)
  t.test(`${store}: letters that names cannot have are no fault of the server`, async (t) => {
    const server = await boot({ store, access: 'project' });
    t.teardown(() => server.close());
    const known = KNOWN(server.scoped);
    const { paths } = (await server.call('owner', 'GET /api/v1/openapi.json')).json as Operations;
    const refused: string[] = [];
    let asked = 0;
    const ask = async (path: string) => {
      asked += 1;
      const { status } = await server.call('owner', `GET ${path}`);
      if (status >= 500) refused.push(`${status} GET ${decodeURI(path)}`);
    };
    for (const [template, operations] of Object.entries(paths)) {
      const { parameters = [] } = operations.get ?? {};
      if (operations.get === undefined) continue;
      for (const letters of LETTERS) {
        const text = encodeURIComponent(letters);
        const filled = (own: boolean) =>
          template.replace(/\{([a-z_*]+)\}/g, (_, name: string) => (own ? known[name] : undefined) ?? text);
        await ask(filled(true));
        await ask(filled(false));
        for (const { name } of parameters.filter((one) => one.in === 'query'))
          await ask(`${filled(true)}?${name}=${text}`);
      }
    }
    t.ok(asked > 200, `${asked} requests`);
    t.same(refused, []);
  });
