import t from 'tap';
import type { Log } from '../../../../kernel/contracts/index.ts';
import { createWakeups } from './wakeups.ts';

const LOGGED = { project_id: 'prj_1', part: 'log' } as const;

function recordingLog(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const write = (_fields: Record<string, unknown>, message: string) => void lines.push(message);
  const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log };
  return { log, lines };
}

t.test('each kind reaches its own listeners until they leave', async (t) => {
  const wakeups = createWakeups(recordingLog().log);
  const heard: unknown[] = [];
  const offs = [
    wakeups.onWork(() => heard.push('work')),
    wakeups.onTimer((deadline) => heard.push(deadline)),
    wakeups.onRun('run_1', () => heard.push('run_1')),
    wakeups.onRevoked((claim) => heard.push(claim.reason)),
  ];
  const emitAll = () => {
    wakeups.work();
    wakeups.timer(7);
    wakeups.run('run_1', LOGGED);
    wakeups.run('run_2', LOGGED);
    wakeups.revoked({ activity_id: 'act_1', epoch: 1, agent_id: 'agt_1', reason: 'cancelled' });
  };
  emitAll();
  t.same(heard, ['work', 7, 'run_1', 'cancelled']);
  for (const off of offs) off();
  for (const off of offs) off();
  emitAll();
  t.equal(heard.length, 4);
});

t.test('who listens to a project hears of its runs only, and what changed of them', async (t) => {
  const wakeups = createWakeups(recordingLog().log);
  const heard: unknown[] = [];
  const off = wakeups.onRuns('prj_1', (run_id, part) => heard.push([run_id, part]));
  wakeups.run('run_1', { project_id: 'prj_1', part: 'steps' });
  wakeups.run('run_2', { project_id: 'prj_2', part: 'run' });
  wakeups.deliver({ wake: 'run', run_id: 'run_3', project_id: 'prj_1' });
  wakeups.deliver({ wake: 'run', run_id: 'run_4' });
  t.same(heard, [
    ['run_1', 'steps'],
    ['run_3', undefined],
  ]);
  off();
  wakeups.run('run_1', LOGGED);
  t.equal(heard.length, 2);
});

t.test('the same function twice is two listeners, and leaving one keeps the other', async (t) => {
  const wakeups = createWakeups(recordingLog().log);
  let heard = 0;
  const listen = () => {
    heard += 1;
  };
  const off = wakeups.onRun('run_1', listen);
  const offOther = wakeups.onRun('run_1', listen);
  wakeups.run('run_1', LOGGED);
  t.equal(heard, 2);
  off();
  wakeups.run('run_1', LOGGED);
  t.equal(heard, 3);
  offOther();
  const late = wakeups.onRun('run_1', listen);
  offOther();
  wakeups.run('run_1', LOGGED);
  t.equal(heard, 4, 'a late second call of an old off does not remove a new listener');
  late();
});

t.test('a listener that throws is logged and the others still hear', async (t) => {
  const { log, lines } = recordingLog();
  const wakeups = createWakeups(log);
  let heard = 0;
  wakeups.onWork(() => {
    throw new Error('broken');
  });
  wakeups.onWork(() => {
    heard += 1;
  });
  wakeups.work();
  t.equal(heard, 1);
  t.same(lines, ['a wake-up listener failed']);
});
