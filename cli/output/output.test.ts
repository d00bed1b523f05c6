import { PassThrough } from 'node:stream';
import t from 'tap';
import { formatItem } from './columns.ts';
import { jqFilter } from './jq.ts';
import { type Options, Output } from './output.ts';

function world({ isTTY = false, ...options }: Partial<Options> & { isTTY?: boolean }) {
  const stream = () => Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream;
  const streams = { stdout: stream(), stderr: stream() };
  const read = (name: keyof typeof streams) => String((streams[name] as unknown as PassThrough).read() ?? '');
  return { output: new Output(streams, { json: false, colour: false, ...options }), read };
}

const since = (ms: number) => new Date(Date.now() + ms).toISOString();

t.test('times are relative on a terminal, and as they were written elsewhere', async (t) => {
  const past = since(-185_000);
  const later = since(3_661_500);
  const shown = (given: Parameters<typeof world>[0]) => {
    const { output } = world(given);
    return [output.time(past), output.until(later), output.time(undefined)];
  };
  const relative = ['3m 5s ago', '1h 1m left', ''];
  const iso = [past, `until ${later}`, ''];
  t.same(shown({ isTTY: true }), relative);
  t.same(shown({}), iso);
  t.same(shown({ isTTY: true, time: 'iso' }), iso);
  t.same(shown({ time: 'relative' }), relative);
  t.equal(world({ time: 'relative' }).output.time('soon'), 'soon');
});

t.test('columns know times by their names', async (t) => {
  const { output } = world({ time: 'relative' });
  const one = { created_at: since(-61_000), since: since(-500), value: since(-61_000) };
  const columns = { created: 'created_at', since: 'since', value: 'value' } as const;
  t.equal(formatItem(columns, one, output), `created  1m 1s ago\nsince    now\nvalue    ${one.value}`);
});

t.test('data goes through jq, and an empty list says so only to people', async (t) => {
  const { output, read } = world({ filter: await jqFilter('.runs | length, (.[0] | error)', { indented: false }) });
  t.equal(output.json, true);
  t.throws(() => output.data({ runs: ['no luck'] }, () => 'text'), { code: 'jq_failed', message: 'jq: no luck' });
  output.noteEmpty('runs');
  t.equal(read('stdout'), '1\n');
  t.equal(read('stderr'), '');
  const plain = world({});
  plain.output.noteEmpty('runs');
  t.equal(plain.read('stderr'), 'no runs\n');
});
