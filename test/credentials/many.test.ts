import t from 'tap';
import { boot, STORES } from '../kit/index.ts';

/** More than a page of a list, and more than one statement reads by name. */
const MANY = 140;

const PLUGINS = ['http', 'access', 'audit', 'credentials', 'scripts', 'requests', 'connectors', 'graphs', 'pipelines'];

const nameOf = (index: number): string => `bot-${String(index).padStart(3, '0')}`;

// @store: names are read with statements of one database.
for (const store of STORES)
  t.test(`${store}: each of ${MANY} credentials is found by its name`, async (t) => {
    const server = await boot({ store, access: 'project', plugins: PLUGINS });
    t.teardown(() => server.close());
    const call = (line: string, body?: unknown) => server.call('admin', line.replace('{scoped}', server.scoped), body);
    const names = Array.from({ length: MANY }, (_, index) => nameOf(index));
    for (const name of names)
      t.equal((await call(`PUT {scoped}/credentials/${name}`, { kind: 'bearer', token: `tok-${name}` })).status, 201);

    t.test('a graph that names all of them, and one more, lacks that one', async (t) => {
      const node = (name: string) => ({
        id: name,
        type: 'http',
        config: { url: 'https://api.example.org/', credential: name },
      });
      const document = { version: 'svc-graph/v1', nodes: [...names, 'nobody'].map(node), edges: [] };
      const saved = await call('PUT {scoped}/graphs/all', document);
      t.ok(saved.status < 300, saved.text);
      const { status, json, text } = await call('GET {scoped}/graphs/all/requirements');
      t.equal(status, 200, text);
      const states = (json.credentials as { name: string; state: string }[]).map(({ name, state }) => [name, state]);
      t.same(
        Object.fromEntries(states),
        Object.fromEntries([...names.map((name) => [name, 'ok']), ['nobody', 'missing']]),
      );
    });

    t.test('a pipeline and a submission find the first and the last one', async (t) => {
      const credentials = { FIRST: names[0], LAST: names.at(-1), OTHER: 'nobody' };
      const source = JSON.stringify({ jobs: { look: { credentials, steps: [{ run: 'true' }] } } });
      const { json } = await call('POST {scoped}/check', { kind: 'pipeline', source });
      const messages = (json.problems as { message: string }[]).map(({ message }) => message);
      t.equal(messages.length, 1, JSON.stringify(json));
      t.match(messages[0], /^OTHER: .*nobody/);
      t.notMatch(messages[0], /FIRST|LAST/);
      const submitted = await call('POST {scoped}/runs', {
        filename: 'look.sh',
        source: 'true',
        credentials: { FIRST: names[0], LAST: names.at(-1) },
      });
      t.equal(submitted.status, 201, submitted.text);
    });

    t.test('the uses of the first one are found', async (t) => {
      const { json, text } = await call(`GET {scoped}/credentials/${names[0]}/uses`);
      t.ok(
        (json.uses as { kind: string }[]).some(({ kind }) => kind === 'run'),
        text,
      );
    });
  });
