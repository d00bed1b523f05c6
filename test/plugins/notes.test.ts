import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { boot, STORES, type TestServer } from '../kit/index.ts';

const NOTES = resolve(import.meta.dirname, 'notes');
const svc = resolve(import.meta.dirname, '../../cli/svc');
const run = promisify(execFile);

for (const store of STORES)
  t.test(`notes come with their folder, on ${store}`, async (t) => {
    const server = await boot({ store, plugins: [], env: { SVC_PLUGINS: NOTES } });
    t.teardown(() => server.close());
    await t.test('over HTTP', (t) => overHttp(t, server));
    await t.test('on the command line', (t) => onTheCommandLine(t, server));
    await t.test('so many and no more', (t) => bounded(t, server));
  });

async function overHttp(t: Test, server: TestServer): Promise<void> {
  const at = `${server.scoped}/notes`;
  const put = (name: string, text: string, role = 'member') => server.call(role, `PUT ${at}/${name}`, { text });
  t.match(await put('one', 'first'), { status: 201, json: { name: 'one', text: 'first', set_at: /Z$/ } });
  t.match(await put('one', 'again'), { status: 200, json: { name: 'one', text: 'again' } });
  t.match(await server.call('viewer', `GET ${at}/one`), { status: 200, json: { name: 'one', text: 'again' } });
  t.match(await put('one', 'theirs', 'viewer'), { status: 403, json: { code: 'forbidden' } });
  t.match(await server.call('viewer', `DELETE ${at}/one`), { status: 403 });
  t.match(await put('no%20name', 'x'), { status: 400, json: { errors: [{ pointer: '/path/note' }] } });
  t.match(await put('two', ''), { status: 400, json: { errors: [{ pointer: '/text' }] } });
  for (const name of ['two', 'no%20name'])
    for (const method of ['GET', 'DELETE'])
      t.match(await server.call('member', `${method} ${at}/${name}`), { status: 404, json: { code: 'not_found' } });

  for (const name of ['two', 'three']) t.equal((await put(name, name)).status, 201);
  const first = await server.call('viewer', `GET ${at}?limit=2`);
  t.same(namesOf(first), ['three', 'two'], 'newest first');
  const second = await server.call('viewer', `GET ${at}?limit=2&cursor=${first.json.next_cursor}`);
  t.same(namesOf(second), ['one'], 'what is set again keeps its place');
  t.notOk('next_cursor' in second.json);
  t.match(await server.call('viewer', `GET ${at}?cursor=x`), { status: 400 });

  for (const status of [204, 404]) t.equal((await server.call('member', `DELETE ${at}/three`)).status, status);
  const { json } = await server.call('admin', `GET ${server.scoped}/audit?action=note`);
  t.same(
    json.entries.map(({ action, subject, principal }: Entry) => [action, subject, principal.name]),
    [
      ['note.delete', 'three', 'member'],
      ['note.set', 'three', 'member'],
      ['note.set', 'two', 'member'],
      ['note.set', 'one', 'member'],
      ['note.set', 'one', 'member'],
    ],
    'what was refused is not in the audit',
  );
  const document = (await server.call(undefined, 'GET /api/v1/openapi.json')).json;
  const template = '/api/v1/orgs/{org}/projects/{project}/notes';
  t.same(operationsOf(document.paths[template]), ['listNotes']);
  t.same(operationsOf(document.paths[`${template}/{note}`]), ['deleteNote', 'getNote', 'putNote']);
  t.match(document.components.schemas, { Note: { type: 'object' }, PutNote: { required: ['text'] } });
}

interface Entry {
  action: string;
  subject: string;
  principal: { name: string };
}

const namesOf = ({ json }: { json: { notes: { name: string }[] } }) => json.notes.map(({ name }) => name);

const operationsOf = (path: Record<string, { operationId: string }>) =>
  Object.values(path)
    .map(({ operationId }) => operationId)
    .toSorted();

async function onTheCommandLine(t: Test, server: TestServer): Promise<void> {
  const { org: SVC_ORG, project: SVC_PROJECT } = server.scope;
  const as = async (SVC_TOKEN: string, ...args: string[]) => {
    const env = {
      ...process.env,
      SVC_PLUGINS: NOTES,
      SVC_URL: server.url,
      SVC_ORG,
      SVC_PROJECT,
      SVC_TOKEN,
      NO_COLOR: '1',
    };
    const { stdout, stderr } = await run(svc, ['note', ...args], { env }).catch((error) => error);
    return `${stdout}${stderr}`;
  };
  t.match(await as('member', 'set', 'shopping', '--text', 'milk'), /Created note shopping/);
  t.match(await as('member', 'set', 'shopping', '--text', 'bread'), /Replaced note shopping/);
  t.match(await as('viewer', 'set', 'shopping', '--text', 'wine'), /forbidden/);
  t.match(await as('viewer', 'show', 'shopping'), /text +bread/);
  t.match(await as('viewer', 'ls'), /shopping[^\n]*bread[\s\S]*two/);
  t.match(JSON.parse(await as('viewer', 'ls', '--json')), { notes: [{ name: 'shopping' }, {}, {}] });
  t.match(await as('member', 'rm', 'shopping'), /Removed note shopping/);
  t.match(await as('member', 'rm', 'shopping'), /no note shopping in this project/);
  t.match(await as('viewer', '--help'), /svc note set/);
}

async function bounded(t: Test, server: TestServer): Promise<void> {
  const put = (name: string) => server.call('member', `PUT ${server.scoped}/notes/${name}`, { text: name });
  const { json } = await server.call('viewer', `GET ${server.scoped}/notes`);
  for (let n = json.notes.length; n < 100; n++) await put(`filler-${n}`);
  t.match(await put('beyond'), { status: 409, json: { code: 'notes_full' } });
  t.equal((await put('filler-99')).status, 200, 'those there are may be set again');
  t.equal((await server.call('viewer', `GET ${server.scoped}/notes/beyond`)).status, 404);
}
