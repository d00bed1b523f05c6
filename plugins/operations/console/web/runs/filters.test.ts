import t from 'tap';
import { shellQuote } from '../kit/text.ts';
import { commandOf, matchesFilters, readRunFilters, toggleStatus, updateRun } from './filters.ts';

const run = (run_id: string, status = 'running', workflow = 'a.sh', tags: string[] = []) => ({
  run_id,
  status,
  workflow,
  tags,
  trigger: { type: 'manual' },
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
  t.same(toggleStatus({}, 'failed'), { status: 'failed' });
  t.same(toggleStatus({ status: 'failed', tag: 'x' }, 'queued'), { status: 'failed,queued', tag: 'x' });
  t.same(toggleStatus({ status: 'failed', tag: 'x' }, 'failed'), { tag: 'x' });
});

t.test('the command with the same answer', async (t) => {
  t.equal(commandOf({}, shellQuote), 'svc runs ls');
  t.equal(commandOf({}, shellQuote, 'cancel'), 'svc runs cancel --all');
  t.equal(commandOf({ view: 'mine', status: 'failed' }, shellQuote), 'svc runs ls --view mine --status failed');
  t.equal(commandOf({ tag: 'a' }, shellQuote, 'rerun'), 'svc runs rerun --tag a');
  t.equal(
    commandOf({ status: 'failed', workflow: 'my file.sh' }, shellQuote),
    "svc runs ls --status failed --workflow 'my file.sh'",
  );
});

t.test('a run that changed is put where it belongs', async (t) => {
  const list = [run('run_3'), run('run_1')];
  const ids = (found: readonly { run_id: string }[]) => found.map(({ run_id }) => run_id);
  t.same(ids(updateRun(list, run('run_4'), {})), ['run_4', 'run_3', 'run_1']);
  t.same(ids(updateRun(list, run('run_2'), {})), ['run_3', 'run_2', 'run_1']);
  t.same(ids(updateRun(list, run('run_0'), {})), ['run_3', 'run_1'], 'it is of an older page');
  t.same(ids(updateRun([], run('run_0'), {})), ['run_0']);
  t.equal(updateRun(list, run('run_3', 'failed'), {})[0]?.status, 'failed');
  t.same(ids(updateRun(list, run('run_3', 'failed'), { status: 'running' })), ['run_1'], 'it fits no longer');
  t.ok(matchesFilters(run('r', 'queued', 'a', ['x']), { status: 'queued,failed', workflow: 'a', tag: 'x' }));
  t.notOk(matchesFilters(run('r', 'queued', 'a', ['x']), { tag: 'y' }));
});

t.test('subject, and what started a run', async (t) => {
  const one = {
    ...{ ...run('run_1'), subject: 'acme/app', parent: 'run_0' },
    trigger: { type: 'push', handler: 'report', event: 'evt_1' },
  };
  for (const trigger of ['push', 'handler:report', 'event:evt_1', 'run:run_0'])
    t.ok(matchesFilters(one, { trigger, subject: 'acme/app' }), trigger);
  for (const trigger of ['manual', 'handler:other', 'schedule:report', 'type:push', 'run:run_1'])
    t.notOk(matchesFilters(one, { trigger }), trigger);
  t.notOk(matchesFilters(one, { subject: 'acme' }));
  t.same(readRunFilters({ subject: 'a', trigger: 'handler:x', until: '1h' }), {
    ...{ subject: 'a', trigger: 'handler:x', until: '1h' },
  });
  t.equal(
    commandOf({ subject: "it's", trigger: 'push' }, shellQuote),
    `svc runs ls --subject 'it'\\''s' --trigger push`,
  );
  t.same(updateRun([one], run('run_9'), { until: '1h' }), [one], 'a new run is later than any `until`');
});
