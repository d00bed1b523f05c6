import t from 'tap';
import { Errors, FairSemaphore } from '../../../../kernel/contracts/index.ts';
import type { LogDirection, StoredLog } from '../../../engine/runs/contract.ts';
import type { LogsQuery } from '../generated/logs-query.ts';
import { findLogStart, readLog, serializePages } from './read-log.ts';
import { cutBeforeStart } from './log-selection.ts';

type Given = Partial<StoredLog> & { text: string };

/** A stored log, and how many chunks of it were read. */
function stored(given: readonly Given[]) {
  const chunks = given.map(({ text, ...rest }, n): StoredLog => {
    const at = Date.UTC(2026, 0, 1, 0, 0, n % 60);
    return { log_id: String(n), activity_id: 'act_1', stream: 'stdout', at, pass: 1, data: Buffer.from(text), ...rest };
  });
  const state = { read: 0 };
  const logs = async (_: string, after: string | undefined, limit: number, way: LogDirection = 'forth') => {
    const at = after === undefined ? undefined : Number(after);
    const found =
      way === 'forth' ? chunks.slice((at ?? -1) + 1).slice(0, limit) : chunks.slice(0, at).toReversed().slice(0, limit);
    state.read += found.length;
    return found;
  };
  return { logs, state, chunks };
}

async function read(
  given: readonly Given[] | ReturnType<typeof stored>,
  query: LogsQuery,
  matches?: (one: StoredLog) => Promise<boolean>,
) {
  const { logs } = 'logs' in given ? given : stored(given);
  const parts: Buffer[] = [];
  for await (const bytes of await readLog({ logs, matches }, 'run_1', query)) parts.push(bytes);
  return Buffer.concat(parts).toString();
}

const lines = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `line ${from + n}\n`);

t.test('the last lines, wherever chunks are cut', async (t) => {
  const whole = lines(100).join('');
  for (const size of [1, 3, 7, 50, 10_000]) {
    const cut = Array.from({ length: Math.ceil(whole.length / size) }, (_, n) => ({
      text: whole.slice(n * size, (n + 1) * size),
    }));
    for (const tail of [1, 2, 37, 99, 100, 101])
      t.equal(
        await read(cut, { tail: String(tail) }),
        lines(Math.min(tail, 100), Math.max(0, 100 - tail)).join(''),
        `${tail} of ${size}`,
      );
    t.equal(await read(cut, { tail: '0' }), '');
  }
  t.equal(await read([{ text: 'a\nb\nc' }], { tail: '1' }), 'c', 'a line without an end is one');
  t.equal(await read([{ text: 'a\n\n\n' }], { tail: '2' }), '\n\n', 'empty lines are lines');
  t.equal(await read([], { tail: '3' }), '');
});

t.test('the beginning of a large log is not read for its end', async (t) => {
  const log = stored(lines(10_000).map((text) => ({ text })));
  t.equal(await read(log, { tail: '5' }), lines(5, 9995).join(''));
  t.ok(log.state.read < 100, `${log.state.read} chunks`);
});

t.test('lines that have a text, and the last of them', async (t) => {
  const log = [{ text: 'error 1\nfine\ner' }, { text: 'ror 2\n' }, { text: 'fine\nerror 3\nfine\n' }];
  t.equal(await read(log, { grep: 'error' }), 'error 1\nerror 2\nerror 3\n');
  t.equal(await read(log, { grep: 'error', tail: '2' }), 'error 2\nerror 3\n');
  t.equal(await read(log, { grep: 'error', tail: '9' }), 'error 1\nerror 2\nerror 3\n');
  t.equal(await read(log, { grep: '.*' }), '', 'it is no pattern');
});

t.test('only chunks that are wanted count', async (t) => {
  const log = lines(100).map((text, n) => ({ text, pass: n < 50 ? 1 : 2, site: n % 2 === 0 ? 'even#0' : undefined }));
  const first = async (one: StoredLog) => one.pass === 1;
  t.equal(await read(log, {}, first), lines(50).join(''));
  t.equal(await read(log, { tail: '3' }, first), lines(3, 47).join(''));
  t.equal(await read(log, { tail: '1', grep: '3' }, first), 'line 43\n');
});

t.test('lines as JSON say when, where and in which pass', async (t) => {
  const log: Given[] = [
    { text: 'one\ntw' },
    { text: 'E\n', stream: 'stderr', site: 'build#0' },
    { text: 'o\ncut short', site: 'build#0' },
    { text: 'again\n', pass: 2, site: undefined },
  ];
  const said = (await read(log, { format: 'json' }))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.same(said, [
    { at: '2026-01-01T00:00:00.000Z', stream: 'stdout', pass: 1, text: 'one' },
    { at: '2026-01-01T00:00:01.000Z', stream: 'stderr', pass: 1, site: 'build#0', text: 'E' },
    { at: '2026-01-01T00:00:00.000Z', stream: 'stdout', pass: 1, text: 'two' },
    { at: '2026-01-01T00:00:02.000Z', stream: 'stdout', pass: 1, site: 'build#0', text: 'cut short' },
    { at: '2026-01-01T00:00:03.000Z', stream: 'stdout', pass: 2, text: 'again' },
  ]);
  const { logs } = stored([{ text: '', data: Buffer.from([255, 10]) }]);
  for await (const bytes of await readLog({ logs }, 'run_1', { format: 'json' }))
    t.match(JSON.parse(bytes.toString()), { text_base64: '/w==' });
});

t.test('the last lines are whole, and so many, where writers interrupt each other', async (t) => {
  const log: Given[] = [
    { text: 'one\ntw' },
    { text: 'E\n', stream: 'stderr' },
    { text: 'o\ncut short' },
    { text: 'again\n', pass: 2 },
  ];
  const said = async (given: readonly Given[], tail: number) =>
    (await read(given, { format: 'json', tail: String(tail) }))
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { text: string }).text);
  const all = ['one', 'E', 'two', 'cut short', 'again'];
  for (const tail of [0, 1, 2, 3, 4, 5, 9])
    t.same(await said(log, tail), tail === 0 ? [] : all.slice(-tail), `${tail}`);
  const many = stored([...lines(10_000).map((text) => ({ text })), ...log]);
  t.equal(
    await read(many, { timestamps: 'true', tail: '3' }),
    '2026-01-01T00:00:40.000Z two\n2026-01-01T00:00:42.000Z cut short\n2026-01-01T00:00:43.000Z again\n',
  );
  t.ok(many.state.read < 200, `${many.state.read} chunks`);
});

t.test('a follower begins in the middle of a chunk too', async (t) => {
  const { logs, chunks } = stored([{ text: 'a\nb\nc\n' }, { text: 'd\n' }]);
  const start = await findLogStart({ logs }, 'run_1', { tail: '2' });
  t.same(start, { after: undefined, skipped: { log_id: '0', bytes: 4 } });
  t.same(
    chunks.map((chunk) => cutBeforeStart(chunk, start).data.toString()),
    ['c\n', 'd\n'],
  );
  t.same(await findLogStart({ logs }, 'run_1', { tail: '0' }), { after: '1' });
  t.same(await findLogStart({ logs }, 'run_1', {}), { after: undefined });
});

t.test('however many read whole logs, the event loop runs after each page', async (t) => {
  const { logs } = stored(lines(600).map((text) => ({ text })));
  const pages = new FairSemaphore(1);
  let turn = 0;
  let reading = true;
  const beat = () => {
    turn += 1;
    if (reading) setImmediate(beat);
  };
  setImmediate(beat);
  const readIn: number[] = [];
  const counted: typeof logs = (...page) => {
    readIn.push(turn);
    return logs(...page);
  };
  const texts = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const parts: Buffer[] = [];
      const shared = serializePages(counted, pages, { signal: new AbortController().signal, caller: 'ada' });
      for await (const bytes of await readLog({ logs: shared }, 'run_1', { grep: 'line', tail: String(n + 1) }))
        parts.push(bytes);
      return Buffer.concat(parts).toString();
    }),
  );
  reading = false;
  t.same(
    texts.map((text) => text.split('\n').length - 1),
    Array.from({ length: 20 }, (_, n) => n + 1),
  );
  const inOne = Object.values(Object.groupBy(readIn, String)).map((all) => all!.length);
  t.ok(Math.max(...inOne) <= 2, `${readIn.length} pages, of which at most ${Math.max(...inOne)} were read in one turn`);
});

t.test('nothing more is read for a caller that has gone, and nothing looks like the end of the log', async (t) => {
  const { logs, state } = stored(lines(600).map((text) => ({ text })));
  const gone = new Error('the caller closed the connection');
  for (const query of [{ grep: 'none' }, { grep: 'none', tail: '1' }, { tail: '9999' }, {}] as const) {
    const caller = new AbortController();
    const counted: typeof logs = async (...page) => {
      if (state.read >= 64) caller.abort(gone);
      return logs(...page);
    };
    state.read = 0;
    const shared = serializePages(counted, new FairSemaphore(1), { signal: caller.signal, caller: 'ada' });
    const reading = async () => {
      for await (const bytes of await readLog({ logs: shared }, 'run_1', query)) t.ok(bytes);
    };
    await t.rejects(reading(), gone);
    t.ok(state.read <= 128, `${state.read} chunks`);
  }
});

t.test('an answer goes on while the server stops', async (t) => {
  const { logs } = stored(lines(600).map((text) => ({ text })));
  const server = new AbortController();
  server.abort(Errors.unavailable('the server is stopping'));
  const parts: Buffer[] = [];
  for await (const bytes of await readLog(
    { logs: serializePages(logs, new FairSemaphore(1), { signal: server.signal, caller: 'ada' }) },
    'run_1',
    {},
  ))
    parts.push(bytes);
  t.equal(Buffer.concat(parts).toString(), lines(600).join(''));
});

t.test('a chunk of empty lines is written in pieces, whatever is said of each line', async (t) => {
  const text = '\n'.repeat(32 * 1024);
  const { logs } = stored([{ text, site: `${'s'.repeat(1000)}#0` }]);
  let most = 0;
  let bytes = 0;
  let turns = 0;
  const count = setInterval(() => (turns += 1), 0);
  for await (const piece of await readLog({ logs }, 'run_1', { format: 'json' })) {
    most = Math.max(most, piece.length);
    bytes += piece.length;
  }
  clearInterval(count);
  t.ok(bytes > 32 * 1024 * 1000, 'each line says where it was written');
  t.ok(most < 128 * 1024, `${most} bytes at once`);
  t.ok(turns > 10, `others had ${turns} turns meanwhile`);
});
