import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { AgentProcesses, exitOf } from '../../plugins/execution/agents/testing/agent-processes.ts';
import { readTrace, spanIdOf } from '../../plugins/platform/tracing/contract.ts';
import { Collector } from '../support/collector/collector.ts';
import type { ReadSpan } from '../support/collector/read-spans.ts';
import { openTestDatabase, STORES, until } from '../kit/index.ts';
import { needs } from '../kit/needs.ts';

const RUNS = '/api/v1/orgs/acme/projects/main/runs';
const CALLER = {
  traceparent: '00-11111111111111111111111111111111-2222222222222222-01',
  tracestate: 'vendor=a,other=b',
};

t.setTimeout(600_000);

const byName = (spans: readonly ReadSpan[], name: string) => spans.filter((span) => span.name === name);
const lines = async (path: string) => (await readFile(path, 'utf8')).trim().split('\n');

/** A far end that remembers the trace of each request. */
async function farEnd() {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.traceparent as string | undefined);
    response.statusCode = request.url === '/gone' ? 404 : 200;
    response.setHeader('content-type', 'application/json');
    response.end('{"n":1}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    port,
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise<unknown>((done) => server.close(done)),
  };
}

for (const store of STORES)
  t.test(store, async (t) => {
    const collector = await Collector.open();
    const far = await farEnd();
    const home = await mkdtemp(join(tmpdir(), 'svc-traces-'));
    const database = await openTestDatabase(store);
    const agents = new AgentProcesses(home, database, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '20',
      SVC_EGRESS_ALLOW: '127.0.0.0/8',
      SVC_TRACE_URL: 'https://traces.example.org/{trace_id}',
    });
    await agents.open();
    t.teardown(async () => {
      await agents.stop();
      await collector.close();
      await far.close();
      await database.drop();
      await rm(home, { recursive: true, force: true });
    });
    const submit = async (body: object, headers: Record<string, string> = {}): Promise<string> => {
      const answer = await agents.server.call(agents.user, `POST ${RUNS}`, body, headers);
      t.equal(answer.status, 201, JSON.stringify(answer.json));
      return answer.json.run_id;
    };
    const spansOf = (run_id: string) => collector.spans.filter(({ attributes }) => attributes['svc.run_id'] === run_id);
    /** All spans of a run, when its own has come: it is the last one. */
    const traceOf = async (run_id: string) => {
      await collector.until(() => spansOf(run_id).some(({ name }) => name.startsWith('run ')));
      return spansOf(run_id);
    };

    t.test('a script whose agent is killed in a step has one trace, and each step one span', async (t) => {
      const first = agents.spawnAgent('doomed');
      await agents.online('doomed');
      const source = `
svc step early -- bash -c 'echo "$TRACEPARENT $(env | grep -c ^SVC_) $TRACESTATE" >> early'
svc step shaky --retry 2 --backoff 1ms -- bash -c '[ "$ATTEMPT" = 2 ]'
echo "$TRACEPARENT" >> passes
svc step slow -- bash -c 'echo "$TRACEPARENT" >> slow; [ -e go ] || exec sleep 600'
svc sleep 10ms
svc step late -- true
`;
      const run_id = await submit({ filename: 'job.sh', source }, CALLER);
      await until(
        () =>
          lines(join(agents.work, 'slow')).then(
            ([first]) => first,
            () => undefined,
          ),
        { what: 'the step' },
      );
      first.kill('SIGKILL');
      await exitOf(first);
      await writeFile(join(agents.work, 'go'), '');
      agents.spawnAgent('second', {
        SVC_EGRESS_ALLOW: '127.0.0.0/8',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_BSP_SCHEDULE_DELAY: '20',
      });
      await agents.finished(run_id);
      const spans = await traceOf(run_id);
      t.same([...new Set(spans.map(({ trace_id }) => trace_id))], ['1'.repeat(32)], 'the trace of the caller');
      t.same([...new Set(spans.map(({ state }) => state))], ['vendor=a,other=b']);
      t.same(new Set(spans.map(({ span_id }) => span_id)).size, spans.length, 'no span came twice');

      const [run] = byName(spans, 'run job.sh');
      const request = collector.spans.find(({ span_id }) => span_id === run?.parent);
      t.match(
        request,
        { kind: 2, parent: '2'.repeat(16), trace_id: '1'.repeat(32) },
        'below the submit, and that below its caller',
      );
      t.match(run, {
        status: 0,
        attributes: { 'svc.status': 'succeeded', 'svc.kind': 'script', 'svc.project': 'main' },
      });
      const [activity] = byName(spans, 'activity main');
      t.match(activity, {
        parent: run!.span_id,
        span_id: spanIdOf('activity', activity!.attributes['svc.activity_id'] as string),
      });

      const passes = spans.filter(({ name }) => name.startsWith('pass ')).sort((a, b) => a.start - b.start);
      t.same(
        passes.map(({ name, parent, attributes }) => [name, parent, attributes['svc.pass.outcome']]),
        ['lost', 'parked', 'completed'].map((outcome, index) => [`pass ${index + 1}`, activity!.span_id, outcome]),
      );
      t.equal(passes[0]?.status, 2, 'the pass of the killed agent is an error');
      t.same(
        (await lines(join(agents.work, 'passes'))).map((text) => readTrace(text)?.span_id),
        passes.map(({ span_id }) => span_id),
        'a script knows the span of its pass',
      );

      t.same(
        spans.filter(({ name }) => name.startsWith('step ')).map(({ name }) => name),
        ['step early', 'step shaky', 'step slow', 'step late'],
      );
      const [early] = byName(spans, 'step early');
      t.match(early, { parent: passes[0]!.span_id, attributes: { 'svc.site': 'early#0', 'svc.exit_code': 0 } });
      t.same(
        await lines(join(agents.work, 'early')),
        [`00-${'1'.repeat(32)}-${early!.span_id}-01 1 vendor=a,other=b`],
        'its command knows its span, and one variable of svc',
      );
      t.match(byName(spans, 'step shaky'), [
        { attributes: { 'svc.attempts': 2 }, events: [{ name: 'attempt failed', attributes: { 'svc.exit_code': 1 } }] },
      ]);
      const [slow] = byName(spans, 'step slow');
      t.equal(slow?.parent, passes[1]!.span_id, 'the pass that recorded it');
      t.same(
        (await lines(join(agents.work, 'slow'))).map((text) => readTrace(text)?.span_id),
        [slow!.span_id, slow!.span_id],
        'both tries had the span that was exported',
      );
      t.match(byName(spans, 'sleep'), [{ parent: activity!.span_id, attributes: { 'svc.site': 'sleep#0' } }]);

      const { json } = await agents.call('GET', `${RUNS}/${run_id}`);
      t.match(json, { trace_id: '1'.repeat(32), trace_url: `https://traces.example.org/${'1'.repeat(32)}` });
    });

    t.test(
      'what a run emits and starts is in its trace; without a caller the trace comes from the request',
      async (t) => {
        const handler = { source: 'svc step handled -- true\n', filename: 'h.sh', on: ['thing.done'] };
        const put = await agents.call('PUT', '/api/v1/orgs/acme/projects/main/handlers/things', handler);
        t.equal(put.status, 201, JSON.stringify(put.json));
        const source = `svc emit thing.done --payload '{"secret":"canary-value"}'\nsvc spawn child.sh\nsvc step no -- bash -c 'echo canary-value; exit 3'\n`;
        await writeFile(join(agents.work, 'child.sh'), 'svc step in-child -- true\n');
        const run_id = await submit({ filename: 'emitter.sh', source, input: 'canary-value' });
        const spans = await traceOf(run_id);
        const [run] = byName(spans, 'run emitter.sh');
        t.match(run, { status: 2, message: 'script_failed', attributes: { 'error.type': 'script_failed' } });
        t.match(byName(spans, 'step no'), [{ status: 2, attributes: { 'svc.exit_code': 3 } }]);
        const [emit] = byName(spans, 'emit thing.done');
        const handled = await collector.span('run h.sh', ({ trace_id }) => trace_id === run!.trace_id);
        t.equal(handled.parent, emit!.span_id, 'below the emit');
        await collector.span('step handled', ({ trace_id }) => trace_id === run!.trace_id);
        const child = await collector.span('run child.sh', ({ trace_id }) => trace_id === run!.trace_id);
        t.equal(child.parent, spans.find(({ name }) => name.startsWith('spawn'))?.span_id, 'below the spawn');
        t.notMatch(JSON.stringify(collector.spans), 'canary-value');
      },
    );

    t.test(
      'functions of steps are told their span, and so are the programs that they start',
      needs('python3'),
      async (t) => {
        const programs: Record<string, string> = {
          'job.mjs': `
import { execFileSync } from 'node:child_process';
import { exec, step } from 'svc/sdk';
const shown = () => execFileSync('sh', ['-c', 'echo $TRACEPARENT']).toString().trim();
const before = process.env.TRACEPARENT;
const seen = await step('one', ({ traceparent }) => [traceparent, shown()]);
const two = (await exec('two', ['sh', '-c', 'echo $TRACEPARENT'])).text;
const three = await step('three', ({ traceparent }) => traceparent, { retry: 2 });
console.log(JSON.stringify([...seen, two, three, before === process.env.TRACEPARENT]));
`,
          'job.py': `
import json, os, subprocess, svc_sdk as svc
shown = lambda: subprocess.check_output(['sh', '-c', 'echo $TRACEPARENT'], text=True).strip()
before = os.environ['TRACEPARENT']
seen = svc.step('one', lambda: [svc.traceparent(), shown()])
two = svc.step('two', ['sh', '-c', 'echo $TRACEPARENT'])
three = svc.step('three', svc.traceparent, retry=2)
print(json.dumps([*seen, two, three, before == os.environ['TRACEPARENT']]))
`,
        };
        for (const [filename, source] of Object.entries(programs)) {
          const run_id = await submit({ filename, source });
          await agents.finished(run_id);
          const spans = await traceOf(run_id);
          const of = (name: string) => {
            const [span] = byName(spans, `step ${name}`);
            return `00-${span?.trace_id}-${span?.span_id}-01`;
          };
          const { text } = await agents.call('GET', `${RUNS}/${run_id}/logs`);
          const printed = text.trim().split('\n').at(-1)!;
          t.equal(
            printed.replaceAll(' ', ''),
            JSON.stringify([of('one'), of('one'), of('two'), of('three'), true]),
            filename,
          );
        }
      },
    );

    t.test('a graph with requests', async (t) => {
      const source = JSON.stringify({
        version: 'svc-graph/v1',
        nodes: [
          { id: 'start', type: 'set', config: { values: { a: 1 } } },
          { id: 'ask', type: 'http', config: { url: `${far.url}/items?token=canary-query` } },
          { id: 'own', type: 'http', config: { url: `${far.url}/gone`, headers: { Traceparent: CALLER.traceparent } } },
          { id: 'rest', type: 'delay', config: { for: '10ms' } },
        ],
        edges: [
          { from: 'start', to: 'ask' },
          { from: 'ask', to: 'own' },
          { from: 'own', to: 'rest' },
        ],
      });
      const run_id = await submit({ kind: 'graph', source });
      await agents.finished(run_id);
      const spans = await traceOf(run_id);
      const [run] = spans.filter(({ name }) => name.startsWith('run '));
      t.match(
        run?.attributes,
        { 'svc.status': 'succeeded', 'svc.kind': 'graph' },
        JSON.stringify(await agents.run(run_id)),
      );
      t.same(
        spans.filter(({ name }) => name.startsWith('node ')).map(({ name, parent }) => [name, parent]),
        ['start', 'ask', 'own', 'rest'].map((id) => [`node ${id}`, run!.span_id]),
      );
      const [node] = byName(spans, 'node ask');
      const [activity] = byName(spans, 'activity ask');
      t.equal(activity?.parent, node!.span_id);
      const [pass] = spans.filter(({ name, parent }) => name.startsWith('pass ') && parent === activity!.span_id);
      const sent = await collector.span('GET', ({ parent }) => parent === pass!.span_id);
      t.match(sent, {
        kind: 3,
        status: 0,
        trace_id: run!.trace_id,
        attributes: {
          'http.request.method': 'GET',
          'server.address': '127.0.0.1',
          'server.port': far.port,
          'http.response.status_code': 200,
          'url.full': `${far.url}/items`,
        },
      });
      t.same(far.seen, [`00-${sent.trace_id}-${sent.span_id}-01`, CALLER.traceparent], 'unless the node has its own');
      t.match(await collector.span('GET', ({ attributes }) => attributes['url.full'] === `${far.url}/gone`), {
        status: 2,
      });
      const [rest] = byName(spans, 'wait rest');
      t.equal(rest?.parent, byName(spans, 'node rest')[0]?.span_id);
      t.notMatch(JSON.stringify(collector.spans), 'canary-query');
    });

    t.test('a pipeline, and one that is cancelled', async (t) => {
      const jobs =
        'jobs:\n  build:\n    steps:\n      - id: make\n        run: echo "$TRACEPARENT" > job\n  ship:\n    needs: [build]\n    steps:\n      - run: exit 4\n';
      const run_id = await submit({ kind: 'pipeline', source: jobs });
      await agents.finished(run_id);
      const spans = await traceOf(run_id);
      const [build] = byName(spans, 'activity build');
      t.equal(build?.parent, byName(spans, 'node build')[0]?.span_id);
      t.match(byName(spans, 'node ship'), [{ status: 2, attributes: { 'svc.state': 'failed', 'error.type': /./ } }]);

      const waiting = 'jobs:\n  hold:\n    wait_for_event: never.comes\n';
      const held = await submit({ kind: 'pipeline', source: waiting });
      await until(async () => (await agents.run(held)).status === 'waiting');
      t.equal((await agents.call('POST', `${RUNS}/${held}/cancel`, {})).status, 200);
      const cancelled = await traceOf(held);
      t.match(
        cancelled.find(({ name }) => name.startsWith('run ')),
        { status: 0, attributes: { 'svc.status': 'cancelled' } },
      );
      const ids = new Set(cancelled.map(({ span_id }) => span_id));
      const [own] = cancelled.filter(({ name }) => name.startsWith('run '));
      t.same(
        cancelled.filter((span) => span !== own && !ids.has(span.parent ?? '')),
        [],
        'every span has its parent',
      );
    });

    t.test('lines of the log about requests and runs carry the trace', async (t) => {
      await agents.call('GET', `${RUNS}?limit=1`);
      const span = await collector.span('GET /api/v1/orgs/:org/projects/:project/runs');
      const request_id = span.attributes['svc.request_id'];
      const line = agents.server.log.lines.find(({ fields }) => fields.request_id === request_id);
      t.match(line?.fields, { trace_id: span.trace_id, span_id: span.span_id });
    });
  });
