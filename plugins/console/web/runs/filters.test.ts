import t from 'tap';
import { shellQuote } from '../kit/text.ts';
import { commandOf, fits, patched, readRunFilters, toggled } from './filters.ts';

const run = (run_id: string, status = 'running', workflow = 'a.sh', tags: string[] = []) => ({
  run_id,
  status,
  workflow,
  tags,
});

t.test('an address is read, and nothing else of it', async (t) => {
  t.same(readRunFilters({ status: 'failed', tag: ' x ', workflow: 7, other: 'y', since: '' }), {
    status: 'failed',
    tag: 'x',
    workflow: '7',
  });
  t.same(readRunFilters({ status: ['a'], tag: { b: 1 } }), {});
});

t.test('statuses are switched on and off', async (t) => {
  t.same(toggled({}, 'failed'), { status: 'failed' });
  t.same(toggled({ status: 'failed', tag: 'x' }, 'queued'), { status: 'failed,queued', tag: 'x' });
  t.same(toggled({ status: 'failed', tag: 'x' }, 'failed'), { tag: 'x' });
});

t.test('the command with the same answer', async (t) => {
  t.equal(commandOf({}, shellQuote), 'svc runs ls');
  t.equal(
    commandOf({ status: 'failed', workflow: 'my file.sh' }, shellQuote),
    "svc runs ls --status failed --workflow 'my file.sh'",
  );
});

t.test('a run that changed is put where it belongs', async (t) => {
  const list = [run('run_3'), run('run_1')];
  const ids = (found: readonly { run_id: string }[]) => found.map(({ run_id }) => run_id);
  t.same(ids(patched(list, run('run_4'), {})), ['run_4', 'run_3', 'run_1']);
  t.same(ids(patched(list, run('run_2'), {})), ['run_3', 'run_2', 'run_1']);
  t.same(ids(patched(list, run('run_0'), {})), ['run_3', 'run_1'], 'it is of an older page');
  t.same(ids(patched([], run('run_0'), {})), ['run_0']);
  t.equal(patched(list, run('run_3', 'failed'), {})[0]?.status, 'failed');
  t.same(ids(patched(list, run('run_3', 'failed'), { status: 'running' })), ['run_1'], 'it fits no longer');
  t.ok(fits(run('r', 'queued', 'a', ['x']), { status: 'queued,failed', workflow: 'a', tag: 'x' }));
  t.notOk(fits(run('r', 'queued', 'a', ['x']), { tag: 'y' }));
});
