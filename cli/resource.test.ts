import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { Client } from './client/client.ts';
import type { Command, Invocation } from './command.ts';
import { Output } from './output/output.ts';
import { parse } from './parse.ts';
import { listCommand, resourceCommands } from './resource.ts';

interface Note {
  name: string;
  text: string;
  tags?: string[];
}

const notes = resourceCommands<Note>({
  noun: 'note',
  path: '/notes',
  columns: { name: 'name', text: 'text', tags: 'tags' },
  set: {
    flags: { text: { type: 'string', summary: 'what it says' }, 'with-tag': { type: 'boolean', summary: 'tag' } },
  },
});

/** A server with notes, two on a page, and a function that runs commands against it. */
async function world(t: Test) {
  const kept = new Map<string, Note>();
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://x');
    asked.push(
      `${request.method} ${pathname.replace(/.*\/projects\/p/, '')}${searchParams.size > 0 ? `?${searchParams}` : ''}`,
    );
    const name = decodeURIComponent(/\/notes\/(.+)$/.exec(pathname)?.[1] ?? '');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = (status: number, body?: unknown) => response.writeHead(status).end(body && JSON.stringify(body));
    if (request.method === 'DELETE') return answer(200, { warnings: ['it was read by many'] });
    if (request.method === 'PUT') {
      const note = { name, ...(JSON.parse(Buffer.concat(chunks).toString()) as Pick<Note, 'text'>) };
      const status = kept.has(name) ? 200 : 201;
      kept.set(name, note);
      return answer(status, note);
    }
    if (name !== '') return answer(200, kept.get(name));
    const from = Number(searchParams.get('cursor') ?? 0);
    const next_cursor = from + 2 < kept.size ? String(from + 2) : undefined;
    const wanted = searchParams.get('saying');
    const fits = ({ text }: Note) => wanted === null || text === wanted;
    return answer(200, { notes: [...kept.values()].slice(from, from + 2).filter(fits), count: kept.size, next_cursor });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new Client({ url, token: 'x', org: 'o', project: 'p', origin: 'test', token_origin: 'test' });
  const call = async (command: Command, ...argv: string[]) => {
    const said = { out: '', err: '' };
    const stream = (key: 'out' | 'err') => ({ write: (text: string) => (said[key] += text) });
    const streams = { stdout: stream('out'), stderr: stream('err') } as never;
    const { args, flags } = parse(command, argv);
    const output = new Output(streams, { json: flags.json === true, colour: false });
    const { run } = await command.load();
    await run({ args, flags, output, client: async () => client } as Partial<Invocation> as Invocation);
    return said;
  };
  return { call, asked };
}

t.test('a description makes set, ls, show and rm', async (t) => {
  const { call, asked } = await world(t);
  const [set, ls, show, rm] = notes as [Command, Command, Command, Command];
  t.same(
    notes.map(({ name, summary }) => [name, summary]),
    [
      ['note set', 'create or replace a note'],
      ['note ls', 'list the notes'],
      ['note show', 'show a note'],
      ['note rm', 'remove a note'],
    ],
  );
  t.same(await call(ls), { out: '', err: 'no notes\n' });
  t.same(JSON.parse((await call(ls, '--json')).out).notes, [], 'JSON says it itself');
  t.same(await call(set, 'a/b', '--text', 'hello'), { out: '', err: 'Created note a/b\n' });
  t.match(await call(set, 'a/b', '--text', 'again', '--with-tag'), { err: 'Replaced note a/b\n' });
  t.same(JSON.parse((await call(show, 'a/b', '--json')).out), { name: 'a/b', text: 'again', with_tag: true });
  t.equal((await call(show, 'a/b')).out, 'name  a/b\ntext  again\n');
  await call(set, 'c', '--text', '2');
  await call(set, 'd', '--text', '3');
  t.match((await call(ls)).out, /name +text +tags\n+a\/b +again\n+c +2\n+d +3\n/);
  t.match(JSON.parse((await call(ls, '--json')).out), { notes: [{ name: 'a/b' }, {}, {}], count: 3 });
  t.same(await call(rm, 'd'), { out: '', err: 'warning: it was read by many\nRemoved note d\n' });
  t.ok(asked.includes('PUT /notes/a%2Fb') && asked.includes('GET /notes?limit=200&cursor=2'), asked.join(', '));
});

t.test('a list with filters is read a page at a time', async (t) => {
  const { call, asked } = await world(t);
  for (const name of ['a', 'b', 'c']) await call(notes[0]!, name, '--text', name);
  const list = listCommand<Note>({
    ...{ name: 'notes ls', summary: 'list', path: '/notes', member: 'notes', columns: { name: 'name' } },
    filters: { 'set-by': { type: 'string', summary: 'only theirs' } },
    note: ({ count }) => `${count} in all`,
  });
  t.match(await call(list, '--set-by', 'ana'), { out: /name\n+a\nb\n/, err: '3 in all\nmore: --cursor 2\n' });
  t.equal(asked.at(-1), 'GET /notes?set_by=ana');
  t.match((await call(list, '--cursor', '2', '--limit', '5')).err, /^3 in all\n$/);
  t.equal(asked.at(-1), 'GET /notes?limit=5&cursor=2');
});

t.test('a search that has found nothing yet goes on', async (t) => {
  const { call, asked } = await world(t);
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await call(notes[0]!, name, '--text', name);
  const list = listCommand<Note>({
    ...{ name: 'notes ls', summary: 'list', path: '/notes', member: 'notes', columns: { name: 'name' } },
    filters: { saying: { type: 'string', summary: 'only these' } },
  });
  t.match(await call(list, '--saying', 'e'), { out: /name\n+e\n/, err: 'more: --cursor 6\n' });
  t.same(
    asked.filter((one) => one.startsWith('GET')),
    ['GET /notes?saying=e', 'GET /notes?saying=e&cursor=2', 'GET /notes?saying=e&cursor=4'],
  );
  t.match(await call(list, '--saying', 'x'), { out: '', err: 'no notes\n' });
});
