import {
  type Clock,
  Errors,
  type HealthCheck,
  type Log,
  type Metrics,
  type Route,
} from '../../../kernel/contracts/index.ts';
import type { Readiness } from './contract.ts';

const PUBLIC = { kind: 'public' } as const;

export interface Health {
  metrics: Metrics;
  readiness: Readiness;
  draining(): boolean;
}

interface ReadinessOptions {
  clock: Clock;
  log: Log;
  checks: readonly HealthCheck[];
  health_ms: number;
}

/** Concurrent calls share one run of each check, because anybody may call. */
export function createReadiness(options: ReadinessOptions): Readiness {
  let running: Promise<string[]> | undefined;
  return {
    failing() {
      running ??= failingChecks(options).finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/** The routes `GET /healthz`, `/readyz` and `/metrics`, for load balancers and scrapers without credentials. */
export function healthRoutes(options: Health): Route[] {
  return [healthzRoute(), readyzRoute(options), metricsRoute(options.metrics)];
}

function healthzRoute(): Route {
  return {
    method: 'GET',
    path: '/healthz',
    operation: 'getHealth',
    summary: 'Whether the process is alive',
    access: PUBLIC,
    unmetered: true,
    responses: { 200: { description: 'The process is alive.', schema: statusSchema('ok') } },
    handle: async () => ({ status: 200, json: { status: 'ok' } }),
  };
}

function readyzRoute(options: Health): Route {
  return {
    method: 'GET',
    path: '/readyz',
    operation: 'getReadiness',
    summary: 'Whether the server can serve requests',
    access: PUBLIC,
    unmetered: true,
    responses: { 200: { description: 'The server can serve requests.', schema: statusSchema('ready') } },
    async handle() {
      if (options.draining()) throw Errors.unavailable('the server is stopping', { retryAfterMs: 1000 });
      const names = await options.readiness.failing();
      if (names.length > 0)
        throw Errors.unavailable(`not ready: ${names.join(', ')}`, { retryAfterMs: 1000, data: { failing: names } });
      return { status: 200, json: { status: 'ready' } };
    },
  };
}

function metricsRoute(metrics: Metrics): Route {
  return {
    method: 'GET',
    path: '/metrics',
    operation: 'getMetrics',
    summary: 'Metrics in the Prometheus text format',
    access: PUBLIC,
    unmetered: true,
    responses: { 200: { description: 'The metrics.', type: 'text/plain' } },
    async handle() {
      const { text, type } = await metrics.render();
      return { status: 200, text, type };
    },
  };
}

/** Returns the names of failing checks. The reasons go to the log, because they may contain hosts and users. */
async function failingChecks(options: ReadinessOptions): Promise<string[]> {
  const results = await Promise.all(
    options.checks.map(async (health) => {
      try {
        await runWithTimeout(health, options);
        return undefined;
      } catch (error) {
        options.log.warn({ check: health.name, reason: (error as Error).message }, 'a readiness check failed');
        return health.name;
      }
    }),
  );
  return results.filter((name) => name !== undefined);
}

async function runWithTimeout(health: HealthCheck, { clock, health_ms }: ReadinessOptions): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(health_ms, () => reject(new Error(`no response within ${health_ms} ms`)));
  try {
    await Promise.race([health.check(), promise]);
  } finally {
    cancel();
  }
}

function statusSchema(status: string) {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['status'],
    properties: { status: { const: status, type: 'string' } },
  };
}
