import t from 'tap';
import { Errors, type Ids } from '../../../../kernel/contracts/index.ts';
import type { CredentialChecker, NewRun, Problem, Reading, SubmitRun, WorkflowKind } from '../contract.ts';
import { createRunEngine } from './engine.ts';

const problem = (message: string): Problem => ({ line: 2, column: 5, message, code: 'script_bad' });

function kind(name: string, marks: WorkflowKind['marks'], more: Partial<WorkflowKind> = {}): WorkflowKind {
  return {
    kind: name,
    type: `svc/${name}/v1`,
    marks,
    takes_credentials: name === 'script',
    replays: name === 'script',
    check: async (_scope, { source }) => (source.includes('bad') ? [problem('is bad'), problem('is worse')] : []),
    plan: async (_on, _scope, { source, requires }) => ({
      activities: [{ name: 'main', executor: name, spec: { source }, requires: ['linux', ...requires] }],
    }),
    ...more,
  };
}

function world(credential_checks: CredentialChecker[] = []) {
  const made: NewRun[] = [];
  let count = 0;
  const ids: Ids = { next: (prefix) => `${prefix}_${++count}`, bytes: (size) => Buffer.alloc(size) };
  const unused = async () => {
    throw new Error('not asked in these tests');
  };
  const engine = createRunEngine({
    document_checks: () => [],
    inputs: { accept: async (_on, run) => run, valueOf: async () => null },
    retained_files: () => [],
    kinds: [kind('script', { anything: true }), kind('pipeline', { endings: ['.yml'] })],
    ids,
    database: {} as Reading,
    sealer: { prepare: async () => undefined },
    credential_checks: () => credential_checks,
    views: { read: unused, logs: unused },
    store: {
      findSubmitted: async ({ idempotency_key }) =>
        idempotency_key === 'used' ? { run_id: 'run_first', status: 'succeeded', duplicate: true } : undefined,
      async createRun(run) {
        made.push(run);
        return { run_id: run.run_id, status: 'queued', duplicate: false };
      },
    },
  });
  return { engine, made };
}

const SCOPE = { org_id: 'org_1', project_id: 'prj_1', org: 'acme', project: 'main' };

const submit = (more: Partial<SubmitRun>): SubmitRun => ({
  ...SCOPE,
  source: 'true',
  trigger: { type: 'manual' },
  trusted: true,
  generation: 0,
  ...more,
});

t.test('a submit is checked, planned and stored with ids', async (t) => {
  const { engine, made } = world();
  const result = await engine.submit(
    submit({ filename: 'ci/build.sh', tags: ['a', 'b', 'a'], requires: ['gpu', 'gpu'], env: { CI: '1' } }),
  );
  t.same(result, { run_id: made[0]!.run_id, status: 'queued', duplicate: false });
  const { kind: found, workflow, tags, activities, env } = made[0]!;
  t.same({ found, workflow, tags, env }, { found: 'script', workflow: 'build.sh', tags: ['a', 'b'], env: { CI: '1' } });
  t.equal(activities.length, 1);
  const { activity_id, ...activity } = activities[0]!;
  t.match(activity_id, /^act_/);
  t.same(activity, { name: 'main', executor: 'script', spec: { source: 'true' }, requires: ['linux', 'gpu'] });
});

t.test('the kind is the one named, else the first by precedence that recognises the document', async (t) => {
  const { engine, made } = world();
  await engine.submit(submit({ filename: 'ci.yml' }));
  await engine.submit(submit({ filename: 'ci.yml', kind: 'script' }));
  await engine.submit(submit({ filename: 'ci.sh', kind: 'svc/pipeline/v1' }));
  await engine.submit(submit({}));
  t.same(
    made.map((run) => [run.kind, run.workflow]),
    [
      ['pipeline', 'ci.yml'],
      ['script', 'ci.yml'],
      ['pipeline', 'ci.sh'],
      ['script', 'script'],
    ],
  );
  await t.rejects(engine.submit(submit({ kind: 'graph' })), {
    code: 'workflow_kind_unknown',
    message: /script, pipeline/,
    extras: { errors: [{ pointer: '/kind' }] },
  });
});

t.test('a document with problems makes no run and says where they are', async (t) => {
  const { engine, made } = world();
  await t.rejects(engine.submit(submit({ source: 'bad' })), {
    code: 'workflow_invalid',
    message: /2 problems.*2:5 is bad/,
    extras: { errors: [{ pointer: '/source', message: '2:5 is bad' }], data: { problems: [problem('is bad')] } },
  });
  await t.rejects(engine.submit(submit({ env: { SVC_TOKEN: 'x' }, tags: [''] })), {
    code: 'invalid_request',
    extras: { errors: [{ pointer: '/env/SVC_TOKEN' }, { pointer: '/tags/0' }] },
  });
  await t.rejects(engine.submit(submit({ source: 'x'.repeat(1_048_577) })), { code: 'payload_too_large' });
  t.same(made, []);
});

t.test('check answers one list, and stores nothing', async (t) => {
  const { engine, made } = world();
  t.same(await engine.check(SCOPE, { source: 'true' }), []);
  const problems = await engine.check(SCOPE, { source: 'bad', env: { SVC_X: '1' } });
  t.same(
    problems.map(({ code }) => code),
    ['invalid_request', 'script_bad', 'script_bad'],
  );
  t.match(problems[0]!.message, /SVC_X.*reserved for the service/);
  // A pipeline has a plugin here, a graph has none; neither is ever a program for its shell.
  const graph = '{"version": "svc-graph/v1", "nodes": [], "edges": []}';
  for (const source of [graph, `\n ${graph}`])
    await t.rejects(engine.check(SCOPE, { source, filename: 'g.json' }), {
      code: 'workflow_kind_unknown',
      message: /is a graph/,
    });
  for (const source of ['{ echo "svc-graph/v1"; }', '{"version":"other","of":"svc-graph/v1"}'])
    t.same(await engine.check(SCOPE, { source }), []);
  await t.rejects(engine.check(SCOPE, { source: 'x', kind: 'nothing' }), { code: 'workflow_kind_unknown' });
  t.same(made, []);
});

t.test('credentials are for scripts, checked by whoever keeps them, and refused when nobody does', async (t) => {
  const asked: unknown[] = [];
  const check: CredentialChecker = {
    name: 'kept',
    layer: 'above',
    provide: async () => [],
    async checkCredentials({ project_id }, credentials) {
      asked.push([project_id, credentials]);
      if (Object.values(credentials).includes('gone')) throw Errors.notFound('no such credential');
    },
  };
  const { engine, made } = world([check]);
  await engine.submit(submit({ credentials: { TOKEN: 'bot' } }));
  t.match(made, [{ credentials: { TOKEN: 'bot' } }]);
  await engine.submit(submit({ credentials: {} }));
  t.same(asked, [['prj_1', { TOKEN: 'bot' }]]);
  const refused = { code: 'invalid_request', extras: { errors: [{ pointer: '/credentials' }] } };
  await t.rejects(engine.submit(submit({ credentials: { TOKEN: 'gone' } })), { code: 'not_found' });
  await t.rejects(engine.submit(submit({ credentials: { TOKEN: 'bot' }, filename: 'ci.yml' })), refused);
  await t.rejects(world().engine.submit(submit({ credentials: { TOKEN: 'bot' } })), refused);
  for (const name of ['SVC_TOKEN', 'CI_TRIGGER_SHA', 'PATH', 'LD_PRELOAD', '1A', 'A-B', ''])
    await t.rejects(engine.submit(submit({ credentials: { [name]: 'bot' } })), {
      code: 'invalid_request',
      extras: { errors: [{ pointer: `/credentials/${name}` }] },
    });
  for (const name of ['', '-x', 'a b', '${{ x }}', 'x'.repeat(64)])
    await t.rejects(engine.submit(submit({ credentials: { TOKEN: name } })), {
      code: 'invalid_request',
      extras: { errors: [{ pointer: '/credentials/TOKEN' }] },
    });
  t.equal(made.length, 2);
});

t.test('a repeat is answered with the first run, even when it would be refused by now', async (t) => {
  const { engine, made } = world();
  t.match(await engine.submit(submit({ source: 'bad', idempotency_key: 'used' })), {
    run_id: 'run_first',
    duplicate: true,
  });
  await t.rejects(engine.submit(submit({ source: 'bad', idempotency_key: 'fresh' })), { code: 'workflow_invalid' });
  t.same(made, []);
});
