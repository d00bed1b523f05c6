import t from 'tap';
import { encodeCursor } from '../../../../kernel/contracts/index.ts';
import { parseRunFilter } from './run-filter.ts';

const NOW = Date.UTC(2026, 0, 31, 12);

t.test('every filter, and none', async (t) => {
  t.same(parseRunFilter({}, NOW), {
    statuses: [],
    tag: undefined,
    workflow: undefined,
    subject: undefined,
    trigger: undefined,
    since: undefined,
    until: undefined,
    limit: 50,
    before: undefined,
  });
  const cursor = encodeCursor('run_1');
  const query = { status: 'failed,running,failed', tag: 'a:b', workflow: 'x.sh', limit: '7', cursor };
  t.same(parseRunFilter({ ...query, subject: 'sübject ', trigger: 'handler:report', until: '2h' }, NOW), {
    statuses: ['failed', 'running'],
    tag: 'a:b',
    workflow: 'x.sh',
    subject: 'sübject ',
    trigger: { name: 'handler:report' },
    since: undefined,
    until: NOW - 7_200_000,
    limit: 7,
    before: 'run_1',
  });
});

t.test('since is a time or a span', async (t) => {
  const since = (text: string) => parseRunFilter({ since: text }, NOW).since;
  t.equal(since('2h'), NOW - 7_200_000);
  t.equal(since('2026-01-30'), Date.UTC(2026, 0, 30));
  t.equal(since('2026-01-30T01:02:03.004Z'), Date.UTC(2026, 0, 30, 1, 2, 3, 4));
  t.equal(since('2026-01-30T01:00:00+01:00'), Date.UTC(2026, 0, 30));
});

t.test('bad filters name their member', async (t) => {
  const bad: [Record<string, string>, string][] = [
    [{ status: 'done' }, '/query/status'],
    [{ status: '' }, '/query/status'],
    [{ status: 'failed,' }, '/query/status'],
    [{ since: 'yesterday' }, '/query/since'],
    [{ since: '2026-13-01' }, '/query/since'],
    [{ since: '1' }, '/query/since'],
    [{ until: 'tomorrow' }, '/query/until'],
    [{ trigger: 'hook:x' }, '/query/trigger'],
    [{ trigger: 'é' }, '/query/trigger'],
    [{ cursor: 'x' }, '/query/cursor'],
  ];
  for (const [query, pointer] of bad)
    t.throws(() => parseRunFilter(query, NOW), { code: 'invalid_request', extras: { errors: [{ pointer }] } }, pointer);
});
