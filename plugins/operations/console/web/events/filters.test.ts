import t from 'tap';
import { shellQuote } from '../kit/text.ts';
import { toEventQuery, commandOf, readEventFilters, withNew } from './filters.ts';

const event = (id: string, type = 'a.done', key: string | null = null, source = 'emit') => ({
  event: id,
  type,
  key,
  source,
});

t.test('an address is read, changed, and told as a command', async (t) => {
  t.same(readEventFilters({ type: ' a.b ', key: 7, other: 'x', since: '' }), { type: 'a.b', key: '7' });
  t.same(readEventFilters({ lifecycle: 'show', event: 'evt_1' }), { lifecycle: 'show', event: 'evt_1' });
  t.same(readEventFilters({ lifecycle: 'x' }), {});
  t.equal(commandOf({}, shellQuote), 'svc events ls');
  t.equal(
    commandOf({ type: 'a', key: "it's", since: '1h' }, shellQuote),
    `svc events ls --type a --key 'it'\\''s' --since 1h`,
  );
});

t.test('lifecycle events are left out until somebody asks for them', async (t) => {
  t.same(toEventQuery({ key: 'k', event: 'evt_1' }), { key: 'k', exclude: 'lifecycle,manual,spawn' });
  t.same(toEventQuery({ lifecycle: 'show', since: '1h' }), { since: '1h' });
  t.same(toEventQuery({ type: 'run.failed' }), { type: 'run.failed' });
  t.same(toEventQuery({ source: 'lifecycle' }), { source: 'lifecycle' });
  t.equal(commandOf(toEventQuery({}), shellQuote), 'svc events ls --exclude lifecycle,manual,spawn');
  for (const source of ['lifecycle', 'manual', 'spawn'])
    t.same(withNew([], event('evt_1', 'of.a.run', null, source), toEventQuery({})), []);
});

t.test('a new event is put on top, once, where it fits', async (t) => {
  const list = [event('evt_1')];
  const ids = (found: readonly { event: string }[]) => found.map((one) => one.event);
  t.same(ids(withNew(list, event('evt_2'), {})), ['evt_2', 'evt_1']);
  t.same(ids(withNew(list, event('evt_1'), {})), ['evt_1'], 'it is there already');
  t.same(ids(withNew(list, event('evt_2'), { type: 'b.done' })), ['evt_1']);
  t.same(ids(withNew(list, event('evt_2', 'a.done', 'k'), { key: 'k', source: 'emit' })), ['evt_2', 'evt_1']);
  t.same(ids(withNew(list, event('evt_2', 'a.done', 'k'), { source: 'hook' })), ['evt_1']);
});
