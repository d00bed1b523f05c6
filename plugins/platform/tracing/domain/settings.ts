import { Errors } from '../../../../kernel/contracts/index.ts';
import { readList } from './key-values.ts';
import { type Sampler, type SamplerName, SAMPLERS, samplerOf } from './sampler.ts';
import { readTraceUrl, type TraceUrl } from './trace-url.ts';

type Env = Readonly<Record<string, string | undefined>>;

const PREFIX = 'OTEL_EXPORTER_OTLP_';
const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
/** The longest accepted time. Nobody means a longer one. */
const MAX_MS = 3_600_000;
const MAX_SPANS = 1_000_000;

export interface TracingSettings {
  endpoint: {
    /** The URL without user and password, which become a header. */
    url: string;
    protocol: (typeof PROTOCOLS)[number];
    /** These may contain secrets. */
    headers: Record<string, string>;
    timeout_ms: number;
    gzip: boolean;
  };
  /** The attributes of the resource: `service.name` and others. */
  resource: Record<string, string>;
  sampler: Sampler;
  queue: { max: number; batch: number; delay_ms: number };
  trace_url: TraceUrl | undefined;
}

/**
 * Reads the standard variables of OpenTelemetry; undefined when tracing is off. Throws `setting_invalid`, whose message never
 * shows the value of an address or a header.
 */
export function readSettings(env: Env, service: string): TracingSettings | undefined {
  const trace_url = readTraceUrl(env.SVC_TRACE_URL);
  const address = trimmed(env[`${PREFIX}TRACES_ENDPOINT`]) ?? trimmed(env[`${PREFIX}ENDPOINT`]);
  if (address === undefined || isTrue(env.OTEL_SDK_DISABLED)) return undefined;
  const exporter = readChoice(env, 'OTEL_TRACES_EXPORTER', ['otlp', 'none'] as const, 'otlp');
  if (exporter === 'none') return undefined;
  const resource = readList('OTEL_RESOURCE_ATTRIBUTES', env.OTEL_RESOURCE_ATTRIBUTES);
  const named = trimmed(env.OTEL_SERVICE_NAME) ?? resource['service.name'] ?? service;
  const max = readInteger(env, 'OTEL_BSP_MAX_QUEUE_SIZE', 2048, { min: 1, max: MAX_SPANS });
  const batch = readInteger(env, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, { min: 1, max: MAX_SPANS });
  return {
    endpoint: readEndpoint(env),
    resource: { ...resource, 'service.name': named },
    sampler: readSampler(env),
    queue: {
      max,
      batch: Math.min(max, batch),
      delay_ms: readInteger(env, 'OTEL_BSP_SCHEDULE_DELAY', 5000, { min: 0, max: MAX_MS }),
    },
    trace_url,
  };
}

function readEndpoint(env: Env): TracingSettings['endpoint'] {
  const { url, user } = readAddress(env);
  return {
    url,
    headers: { ...user, ...readList(...signalVariable(env, 'HEADERS')) },
    protocol: readChoice(env, signalVariable(env, 'PROTOCOL')[0], PROTOCOLS, 'http/protobuf'),
    timeout_ms: readInteger(env, signalVariable(env, 'TIMEOUT')[0], 10_000, { min: 1, max: MAX_MS }),
    gzip: readChoice(env, signalVariable(env, 'COMPRESSION')[0], ['none', 'gzip'] as const, 'none') === 'gzip',
  };
}

/** Returns the variable for traces, if it is set, or else the one for all signals. */
function signalVariable(env: Env, name: string): [name: string, value: string | undefined] {
  const traces_variable = `${PREFIX}TRACES_${name}`;
  const chosen = trimmed(env[traces_variable]) === undefined ? `${PREFIX}${name}` : traces_variable;
  return [chosen, env[chosen]];
}

function readAddress(env: Env): { url: string; user: Record<string, string> } {
  const [name, value] = signalVariable(env, 'ENDPOINT');
  const text = value!.trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw Errors.settingInvalid(`${name} must be an address such as http://collector:4318`);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  url.hash = '';
  // The general address is a base to which the path of each signal is added. The address for traces is complete.
  if (name === `${PREFIX}ENDPOINT`) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const user = { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  return { url: url.href, user: username === '' && password === '' ? {} : user };
}

function readSampler(env: Env): Sampler {
  const name: SamplerName = readChoice(env, 'OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on');
  const argument = trimmed(env.OTEL_TRACES_SAMPLER_ARG);
  const ratio = argument === undefined || !name.endsWith('traceidratio') ? 1 : Number(argument);
  if (!(ratio >= 0 && ratio <= 1))
    throw Errors.settingInvalid('OTEL_TRACES_SAMPLER_ARG must be a fraction of all traces from 0 to 1, such as 0.1');
  return samplerOf(name, ratio);
}

const trimmed = (value: string | undefined): string | undefined =>
  value === undefined || value.trim() === '' ? undefined : value.trim();

const isTrue = (value: string | undefined): boolean => trimmed(value)?.toLowerCase() === 'true';

function readChoice<const T extends string>(env: Env, name: string, values: readonly T[], fallback: T): T {
  const value = trimmed(env[name]) ?? fallback;
  const choice = values.find((one) => one === value);
  if (choice !== undefined) return choice;
  const grpc = value === 'grpc' ? '; gRPC is not supported, use the HTTP port of the collector' : '';
  throw Errors.settingInvalid(`${name} is "${value.slice(0, 80)}"; it must be one of ${values.join(', ')}${grpc}`);
}

function readInteger(
  env: Env,
  name: string,
  fallback: number,
  { min, max: most }: { min: number; max: number },
): number {
  const text = trimmed(env[name]);
  const value = text === undefined ? fallback : Number(text);
  if (Number.isInteger(value) && value >= min && value <= most) return value;
  throw Errors.settingInvalid(`${name} must be a whole number from ${min} to ${most}`);
}
