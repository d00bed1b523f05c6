import { spawnSync } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import t from 'tap';
import { boot, until } from '../../../test/kit/index.ts';
import { type FinishedSpan, Tracing } from './contract.ts';
import { Collector } from '../../../test/support/collector/collector.ts';

const span = (name: string): FinishedSpan => ({
  context: { trace_id: '1'.repeat(32), span_id: '2'.repeat(16), sampled: true, state: 'a=b' },
  ...{ parent: '3'.repeat(16), name, kind: 'client', start: 1_700_000_000_000.25, end: 1_700_000_000_001 },
  attributes: { text: 'ä', number: 3, float: 0.5, yes: true, none: undefined },
  error: 'broken',
  events: [{ name: 'event', at: 1_700_000_000_000.5, attributes: { attempt: 1 } }],
});

const READ = {
  ...{ trace_id: '1'.repeat(32), span_id: '2'.repeat(16), parent: '3'.repeat(16), state: 'a=b', kind: 3 },
  ...{ start: 1_700_000_000_000.25, end: 1_700_000_000_001, status: 2, message: 'broken' },
  attributes: { text: 'ä', number: 3, float: 0.5, yes: true },
  events: [{ name: 'event', at: 1_700_000_000_000.5, attributes: { attempt: 1 } }],
};

async function open(env: Record<string, string> = {}) {
  const collector = await Collector.open();
  const server = await boot({
    plugins: ['http'],
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '0', ...env },
  });
  const tracer = server.use(Tracing).on!;
  const metric = async (name: string) => {
    const { text } = await server.call(undefined, 'GET /metrics');
    return Number(
      text
        .split('\n')
        .find((line: string) => line.startsWith(name))
        ?.split(' ')
        .at(-1) ?? 0,
    );
  };
  return { collector, server, tracer, metric };
}

t.setTimeout(600_000);

for (const protocol of ['http/protobuf', 'http/json'])
  t.test(`spans reach a collector as ${protocol}`, async (t) => {
    const { collector, server, tracer, metric } = await open({
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=canary-header',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    t.teardown(() => collector.close());
    tracer.add(span('one'));
    tracer.add({ ...span('none'), context: { ...span('none').context, sampled: false } });
    t.match(await collector.span('one'), {
      ...READ,
      resource: { 'service.name': 'svc', 'service.version': /./, 'deployment.environment.name': 'test' },
    });
    t.match(collector.requests[0], { path: '/v1/traces', headers: { 'x-key': 'canary-header' } });
    await until(() => metric('svc_trace_spans_exported_total'));
    tracer.add(span('last'));
    await server.close();
    t.same(
      collector.spans.map(({ name }) => name),
      ['one', 'last'],
      'what waits is sent at the stop',
    );
    t.notMatch(JSON.stringify(server.log.lines), 'canary');
  });

t.test('a collector that is slow or gone holds up nothing, and what it does not take is counted', async (t) => {
  const { collector, server, tracer, metric } = await open({
    OTEL_BSP_MAX_QUEUE_SIZE: '3',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1',
    OTEL_EXPORTER_OTLP_TIMEOUT: '2000',
  });
  t.teardown(() => collector.close());
  const hanging: ServerResponse[] = [];
  collector.answer = (response) => void hanging.push(response);
  tracer.add(span('hangs'));
  await until(() => hanging.length > 0);
  for (let n = 0; n < 10; n += 1) tracer.add(span(`more ${n}`));
  t.equal(await metric('svc_trace_spans_dropped_total{reason="queue_full"}'), 7, 'three wait, no more');
  await until(() => metric('svc_trace_spans_dropped_total{reason="export_failed"}'));
  t.same(server.log.messages('warn').filter((message) => message === 'spans could not be exported').length, 1);
  collector.answer = (response) => response.end();
  for (const response of hanging) response.end();
  tracer.add(span('again'));
  await collector.span('again');
  await until(() => server.log.messages('info').includes('spans are exported again'));
  collector.answer = () => undefined;
  tracer.add(span('never'));
  const began = performance.now();
  await server.close();
  t.ok(performance.now() - began < 8000, 'the stop is bounded');
});

t.test('neither a log line nor an error shows the address of the collector', async (t) => {
  const server = await boot({
    plugins: ['http'],
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://ana:canary@127.0.0.1:1', OTEL_BSP_SCHEDULE_DELAY: '0' },
  });
  server.use(Tracing).on!.add(span('one'));
  await until(() => server.log.messages('warn').includes('spans could not be exported'));
  t.notMatch(JSON.stringify(server.log.lines), 'canary');
  await server.close();
});

/** A process of its own: modules are loaded once in each. The interface of OpenTelemetry is loaded by prom-client anyway. */
function loaded(env: Record<string, string>): { modules: string[]; line: Record<string, unknown> } {
  const program = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ load(url, context, next) { seen.push(url); return next(url, context); } });
    const { boot } = await import('${new URL('../../../test/kit/index.ts', import.meta.url)}');
    const { Log } = await import('${new URL('../../../kernel/contracts/index.ts', import.meta.url)}');
    const { createLog } = await import('${new URL('../../../kernel/boot/services/log.ts', import.meta.url)}');
    const { Tracing } = await import('${new URL('./contract.ts', import.meta.url)}');
    const server = await boot({ plugins: ['runs', 'http'], env: ${JSON.stringify(env)}, replace: [[Log, () => createLog('info', {})]] });
    const tracer = server.use(Tracing).on;
    tracer?.remember({ run_id: 'run_known', trace: null });
    server.use(Log).info({ run_id: 'run_known' }, 'a line');
    tracer?.add({ context: tracer.begin(undefined), name: 'x', kind: 'internal', start: 0, end: 1, attributes: {} });
    await server.close();
    console.log(JSON.stringify(seen.filter((url) => /opentelemetry|plugins\\/platform\\/tracing/.test(url) && !/opentelemetry\\/api/.test(url))));
  `;
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  const line = ran.stderr.split('\n').find((text) => text.includes('"a line"'));
  return { modules: JSON.parse(ran.stdout || '[]') as string[], line: JSON.parse(line ?? '{}') };
}

t.test('without an endpoint nothing of it is loaded, and lines are as they were', async (t) => {
  const off = loaded({});
  t.ok(
    off.modules.some((url) => url.endsWith('plugins/platform/tracing/plugin.ts')),
    'the plugin is there',
  );
  t.same(
    off.modules.filter((url) => /opentelemetry|plugins\/platform\/tracing\/service/.test(url)),
    [],
  );
  t.match(off.line, { run_id: 'run_known', trace_id: undefined, span_id: undefined });
  const on = loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_TIMEOUT: '200' });
  t.ok(on.modules.some((url) => url.includes('@opentelemetry/exporter-trace-otlp-proto')));
  t.match(on.line, { run_id: 'run_known', trace_id: /^[0-9a-f]{32}$/, span_id: /^[0-9a-f]{16}$/ });
});
