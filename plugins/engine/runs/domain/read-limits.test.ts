import t from 'tap';
import { readRunLimits } from './read-limits.ts';

t.test('bounds have defaults, and each may be set or lifted', (t) => {
  const { run, project, untrusted_timeout_ms, job_timeout_ms } = readRunLimits({ env: {}, role: 'server' });
  t.same(run.trusted, { log: 64 * 2 ** 20, artifacts: 20 * 2 ** 30, calls: 2 ** 28, spawns: 1000, slots: Infinity });
  t.same(run.untrusted, {
    log: 4 * 2 ** 20,
    artifacts: 256 * 2 ** 20,
    spawns: 20,
    calls: 64 * 2 ** 20,
    children: 100,
    slots: 4,
  });
  t.same(project.trusted, { log: 256 * 2 ** 30, artifacts: 2 ** 40, cache: 10 * 2 ** 30, slots: Infinity });
  t.same(project.untrusted, {
    log: 16 * 2 ** 30,
    artifacts: 64 * 2 ** 30,
    cache: 2 ** 30,
    calls: 16 * 2 ** 30,
    runs: 100,
    handlers: 50,
    slots: 32,
  });
  t.same([untrusted_timeout_ms, job_timeout_ms], [3_600_000, 6 * 3_600_000]);
  const env = {
    SVC_RUN_LIMITS: ' spawns = 5 , log=off,slots=8',
    SVC_UNTRUSTED_PROJECT_LIMITS: 'runs=off',
    SVC_UNTRUSTED_TIMEOUT: 'off',
    SVC_JOB_TIMEOUT: '90m',
  };
  const set = readRunLimits({ env, role: 'server' });
  t.same(set.run.trusted, { log: Infinity, artifacts: 20 * 2 ** 30, calls: 2 ** 28, spawns: 5, slots: 8 });
  t.equal(set.project.untrusted.runs, Infinity);
  t.same([set.untrusted_timeout_ms, set.job_timeout_ms], [undefined, 5_400_000]);
  t.equal(readRunLimits({ env: {}, role: 'local' }).run.trusted.log, Infinity, '`svc run` shows all');
  t.end();
});

t.test('a setting that cannot be read names the variable, what is wrong and how to write it', (t) => {
  for (const [name, text] of [
    ['SVC_RUN_LIMITS', 'log=64'],
    ['SVC_RUN_LIMITS', 'log=0MiB'],
    ['SVC_RUN_LIMITS', 'log=9999999TiB'],
    ['SVC_RUN_LIMITS', 'runs=5'],
    ['SVC_RUN_LIMITS', 'spawns=1MiB'],
    ['SVC_RUN_LIMITS', 'spawns=0'],
    ['SVC_RUN_LIMITS', 'spawns=1,spawns=2'],
    ['SVC_RUN_LIMITS', 'toString=1'],
    ['SVC_UNTRUSTED_RUN_LIMITS', 'slots=0'],
    ['SVC_PROJECT_LIMITS', 'slots=50%'],
    ['SVC_RUN_LIMITS', 'off'],
    ['SVC_UNTRUSTED_RUN_LIMITS', 'log=1=2'],
    ['SVC_PROJECT_LIMITS', 'spawns=5'],
    ['SVC_UNTRUSTED_PROJECT_LIMITS', 'runs=many'],
    ['SVC_UNTRUSTED_TIMEOUT', '1'],
    ['SVC_UNTRUSTED_TIMEOUT', '0s'],
    ['SVC_JOB_TIMEOUT', 'never'],
  ] as const)
    t.throws(
      () => readRunLimits({ env: { [name]: text }, role: 'dev' }),
      { code: 'setting_invalid', message: new RegExp(`^${name}\\b.*\\boff\\b`) },
      `${name}=${text}`,
    );
  t.end();
});
