import t from 'tap';
import { encodeTrace, decodeTrace, readTrace, spanIdOf, traceHeaders, traceIdOf } from './contract.ts';
import { readSettings } from './domain/settings.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

t.test('a traceparent is read as W3C Trace Context says', async (t) => {
  const read = readTrace(`00-${TRACE}-${SPAN}-01`, 'vendor=a');
  t.same(read, { trace_id: TRACE, span_id: SPAN, sampled: true, state: 'vendor=a' });
  t.same(traceHeaders(read!), { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'vendor=a' });
  t.equal(readTrace(`00-${TRACE}-${SPAN}-02`)?.sampled, false);
  t.ok(readTrace(`cc-${TRACE}-${SPAN}-01-later`), 'a later version may have more parts');
  const not = [
    undefined,
    '',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  ];
  for (const text of not) t.equal(readTrace(text), undefined, String(text));
  t.notOk('state' in readTrace(`00-${TRACE}-${SPAN}-01`, 'a=b\nx')!, 'no state on two lines');
  t.notOk('state' in readTrace(`00-${TRACE}-${SPAN}-01`, 'x'.repeat(513))!, 'no state that is too long');
  for (const context of [read!, { trace_id: TRACE, span_id: SPAN, sampled: false }])
    t.same(decodeTrace(encodeTrace(context)), context);
  t.equal(decodeTrace(null), undefined);
});

t.test('ids of what is recorded are the same everywhere', async (t) => {
  t.match(traceIdOf('run_1'), /^[0-9a-f]{32}$/);
  t.match(spanIdOf('pass', 'act_1', '2'), /^[0-9a-f]{16}$/);
  t.equal(traceIdOf('run_1'), traceIdOf('run_1'));
  t.equal(new Set([spanIdOf('run', 'a'), spanIdOf('pass', 'a'), spanIdOf('pass', 'a', '1'), traceIdOf('a')]).size, 4);
});

t.test('nothing is traced without an endpoint, or when it is switched off', async (t) => {
  t.equal(readSettings({}, 'svc'), undefined);
  t.equal(readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, 'svc'), undefined);
  t.equal(readSettings({ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }, 'svc'), undefined);
  t.equal(readSettings({ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, 'svc'), undefined);
});

t.test('the standard variables', async (t) => {
  t.match(readSettings(ENDPOINT, 'svc'), {
    endpoint: {
      ...{ url: 'http://collector:4318/v1/traces', protocol: 'http/protobuf', headers: {} },
      ...{ timeout_ms: 10_000, gzip: false },
    },
    resource: { 'service.name': 'svc' },
    queue: { max: 2048, batch: 512, delay_ms: 5000 },
  });
  const all = {
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://ana:p%40ss@traces.example.org/in',
    OTEL_EXPORTER_OTLP_HEADERS: 'not=this',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-key=a%20b, x-other=c',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_SERVICE_NAME: 'flows',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=prod',
    OTEL_BSP_MAX_QUEUE_SIZE: '10',
  };
  t.match(readSettings(all, 'svc'), {
    endpoint: {
      url: 'https://traces.example.org/in',
      protocol: 'http/json',
      headers: { authorization: `Basic ${Buffer.from('ana:p@ss').toString('base64')}`, 'x-key': 'a b', 'x-other': 'c' },
      timeout_ms: 500,
      gzip: true,
    },
    resource: { 'service.name': 'flows', 'deployment.environment.name': 'prod' },
    queue: { max: 10, batch: 10 },
  });
  t.notOk('not' in readSettings(all, 'svc')!.endpoint.headers, 'those for traces alone win');
});

const messageOf = (env: Record<string, string>): string => {
  try {
    return JSON.stringify(readSettings({ ...ENDPOINT, ...env }, 'svc'));
  } catch (error) {
    return (error as Error).message;
  }
};

t.test('a wrong value is refused with its variable, and without a secret', async (t) => {
  const cases: [Record<string, string>, RegExp][] = [
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'user:canary@host' }, /^OTEL_EXPORTER_OTLP_ENDPOINT must be an address/],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      /OTEL_EXPORTER_OTLP_PROTOCOL is "grpc".*http\/protobuf, http\/json; gRPC is not/,
    ],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'canary' }, /^OTEL_EXPORTER_OTLP_HEADERS: member 1/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=b,c=canary%0a' }, /^OTEL_EXPORTER_OTLP_HEADERS: member 2/],
    [{ OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '0' }, /^OTEL_EXPORTER_OTLP_TRACES_TIMEOUT must be a whole number from 1/],
    [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /^OTEL_TRACES_SAMPLER is "jaeger_remote"; it must be one of always_on/],
    [
      { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
      /^OTEL_TRACES_SAMPLER_ARG must be a fraction/,
    ],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, /^OTEL_TRACES_EXPORTER is "zipkin"/],
    [{ SVC_TRACE_URL: 'https://traces.example.org/' }, /^SVC_TRACE_URL must be .*\{trace_id\}/],
    [{ SVC_TRACE_URL: 'javascript:{trace_id}' }, /^SVC_TRACE_URL/],
  ];
  for (const [env, message] of cases) {
    t.throws(() => readSettings({ ...ENDPOINT, ...env }, 'svc'), { code: 'setting_invalid', message });
    t.notMatch(messageOf(env), 'canary');
  }
});

t.test('samplers take the traces that others take', async (t) => {
  const sampler = (name: string, arg?: string) =>
    readSettings({ ...ENDPOINT, OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: arg }, 'svc')!.sampler;
  const parent = (sampled: boolean) => ({ trace_id: TRACE, span_id: SPAN, sampled });
  t.equal(sampler('always_on')(TRACE, parent(false)), true);
  t.equal(sampler('always_off')(TRACE, parent(true)), false);
  t.equal(sampler('parentbased_always_on')(TRACE, parent(false)), false);
  t.equal(sampler('parentbased_always_on')(TRACE, undefined), true);
  t.equal(sampler('parentbased_traceidratio', '0')(TRACE, undefined), false);
  t.equal(sampler('parentbased_traceidratio', '0')(TRACE, parent(true)), true);
  const { TraceIdRatioBasedSampler } = await import('@opentelemetry/sdk-trace');
  const theirs = new TraceIdRatioBasedSampler(0.3);
  const ids = Array.from({ length: 500 }, (_, n) => traceIdOf(`run_${n}`));
  const ours = ids.filter((id) => sampler('traceidratio', '0.3')(id, undefined));
  t.same(
    ours,
    ids.filter((id) => theirs.shouldSample(undefined as never, id).decision === 2),
  );
  t.ok(ours.length > 100 && ours.length < 200, String(ours.length));
});
