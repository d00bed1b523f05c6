import { Errors } from '../../../kernel/contracts/index.ts';
import { readList } from './key-values.ts';
import { type Sampler, type SamplerName, SAMPLERS, samplerOf } from './sampler.ts';
import { readTraceUrl, type TraceUrl } from './trace-url.ts';

type Env = Readonly<Record<string, string | undefined>>;

const PREFIX = 'OTEL_EXPORTER_OTLP_';
const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
/** Longer than this no timer can be, and nobody means it. */
const MAX_MS = 3_600_000;
const MAX_SPANS = 1_000_000;

export interface TracingSettings {
  endpoint: {
    /** Without user and password: those are among the headers. */
    url: string;
    protocol: (typeof PROTOCOLS)[number];
    /** May hold secrets. */
    headers: Record<string, string>;
    timeout_ms: number;
    gzip: boolean;
  };
  /** Of the resource: `service.name` and others. */
  resource: Record<string, string>;
  sampler: Sampler;
  queue: { most: number; batch: number; delay_ms: number };
  trace_url: TraceUrl | undefined;
}

/**
 * The standard variables of OpenTelemetry. Undefined: nobody wants traces. Throws `setting_invalid`; no message shows the
 * value of an address or a header.
 */
export function readSettings(env: Env, service: string): TracingSettings | undefined {
  const trace_url = readTraceUrl(env.SVC_TRACE_URL);
  const address = set(env[`${PREFIX}TRACES_ENDPOINT`]) ?? set(env[`${PREFIX}ENDPOINT`]);
  if (address === undefined || isTrue(env.OTEL_SDK_DISABLED)) return undefined;
  const exporter = oneOf(env, 'OTEL_TRACES_EXPORTER', ['otlp', 'none'] as const, 'otlp');
  if (exporter === 'none') return undefined;
  const resource = readList('OTEL_RESOURCE_ATTRIBUTES', env.OTEL_RESOURCE_ATTRIBUTES);
  const named = set(env.OTEL_SERVICE_NAME) ?? resource['service.name'] ?? service;
  const most = number(env, 'OTEL_BSP_MAX_QUEUE_SIZE', 2048, { least: 1, most: MAX_SPANS });
  const batch = number(env, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, { least: 1, most: MAX_SPANS });
  return {
    endpoint: readEndpoint(env),
    resource: { ...resource, 'service.name': named },
    sampler: readSampler(env),
    queue: {
      ...{ most, batch: Math.min(most, batch) },
      delay_ms: number(env, 'OTEL_BSP_SCHEDULE_DELAY', 5000, { least: 0, most: MAX_MS }),
    },
    trace_url,
  };
}

function readEndpoint(env: Env): TracingSettings['endpoint'] {
  const { url, user } = readAddress(env);
  return {
    url,
    headers: { ...user, ...readList(...ofTraces(env, 'HEADERS')) },
    protocol: oneOf(env, ofTraces(env, 'PROTOCOL')[0], PROTOCOLS, 'http/protobuf'),
    timeout_ms: number(env, ofTraces(env, 'TIMEOUT')[0], 10_000, { least: 1, most: MAX_MS }),
    gzip: oneOf(env, ofTraces(env, 'COMPRESSION')[0], ['none', 'gzip'] as const, 'none') === 'gzip',
  };
}

/** The variable for traces alone wins over that for everything. */
function ofTraces(env: Env, name: string): [name: string, value: string | undefined] {
  const own = `${PREFIX}TRACES_${name}`;
  const chosen = set(env[own]) === undefined ? `${PREFIX}${name}` : own;
  return [chosen, env[chosen]];
}

function readAddress(env: Env): { url: string; user: Record<string, string> } {
  const [name, value] = ofTraces(env, 'ENDPOINT');
  const text = value!.trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw Errors.settingInvalid(`${name} must be an address such as http://collector:4318`);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  url.hash = '';
  // The address for everything is where the signals have their own paths; the one for traces is complete.
  if (name === `${PREFIX}ENDPOINT`) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const user = { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  return { url: url.href, user: username === '' && password === '' ? {} : user };
}

function readSampler(env: Env): Sampler {
  const name: SamplerName = oneOf(env, 'OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on');
  const argument = set(env.OTEL_TRACES_SAMPLER_ARG);
  const ratio = argument === undefined || !name.endsWith('traceidratio') ? 1 : Number(argument);
  if (!(ratio >= 0 && ratio <= 1))
    throw Errors.settingInvalid('OTEL_TRACES_SAMPLER_ARG must be a share of all traces from 0 to 1, such as 0.1');
  return samplerOf(name, ratio);
}

const set = (value: string | undefined): string | undefined =>
  value === undefined || value.trim() === '' ? undefined : value.trim();

const isTrue = (value: string | undefined): boolean => set(value)?.toLowerCase() === 'true';

function oneOf<const T extends string>(env: Env, name: string, values: readonly T[], otherwise: T): T {
  const value = set(env[name]) ?? otherwise;
  const known = values.find((one) => one === value);
  if (known !== undefined) return known;
  const grpc = value === 'grpc' ? '; gRPC is not spoken, use the HTTP port of the collector' : '';
  throw Errors.settingInvalid(`${name} is "${value.slice(0, 80)}"; it must be one of ${values.join(', ')}${grpc}`);
}

function number(env: Env, name: string, otherwise: number, { least, most }: { least: number; most: number }): number {
  const text = set(env[name]);
  const value = text === undefined ? otherwise : Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw Errors.settingInvalid(`${name} must be a whole number from ${least} to ${most}`);
}
