import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ListProviders200, ProviderChecks, SignInChecks, Whoami } from '../generated/api.ts';
import type { Invocation, Run } from '../command.ts';
import { CliError, Exit } from '../errors.ts';
import { packageFolder } from '../version.ts';

interface Finding {
  what: string;
  ok: boolean;
  says: string;
}

const execute = promisify(execFile);

async function attempt(what: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { what, ok: true, says: await check() };
  } catch (error) {
    const { message, next } = error as Error & { next?: string };
    return { what, ok: false, says: next ? `${message} → ${next}` : message };
  }
}

const interpreter = (name: string) =>
  attempt(name, async () => {
    const { stdout } = await execute(name, ['--version']).catch((error: NodeJS.ErrnoException) => {
      throw new Error(
        error.code === 'ENOENT' ? 'not installed here; scripts that need it must run on another agent' : error.message,
      );
    });
    return stdout.split('\n')[0] ?? '';
  });

interface NativePrograms {
  programs: Record<string, string>;
  why?: string;
}

const FIRST_USE_MS = 180_000;

/** The native programs that agents and servers of this user have. Whoever asks first has them compiled: npm may have run no script. */
async function nativePrograms({ env }: Invocation): Promise<Finding[]> {
  if (process.platform !== 'linux') return [];
  const builder = join(packageFolder(), 'plugins/scripts/native/build.mjs');
  const finding = await attempt('native', async () => {
    const { stdout } = await execute(process.execPath, [builder, '--json'], { env, timeout: FIRST_USE_MS });
    const { programs, why } = JSON.parse(stdout) as NativePrograms;
    if (why !== undefined)
      throw new Error(`${why}, so slower programs of Node serve and no run is isolated → ${COMPILE}`);
    return `compiled, in ${dirname(Object.values(programs)[0]!)}`;
  });
  return [finding];
}

/** Nothing is installed anew: the next use compiles. */
const COMPILE =
  'install a C compiler (`apt install gcc libc6-dev`, `apk add gcc musl-dev linux-headers`), then `svc doctor`';

async function server({ client }: Invocation): Promise<Finding[]> {
  const profile = await attempt('profile', async () => {
    const { profile: found } = await client();
    return `${found.url}, ${found.org}/${found.project} (address from ${found.origin}, token from ${found.token_origin})`;
  });
  if (!profile.ok) return [profile];
  const api = await client();
  return [
    profile,
    await attempt('server', async () => {
      await api.text({ path: '/readyz' });
      return 'answers and is ready';
    }),
    await attempt('token', async () => {
      const me = await api.json<Whoami>({ path: '/api/v1/whoami' });
      return `${me.user.name} (${me.token.name})`;
    }),
    await attempt('agents', async () => {
      const { agents } = await api.json<{ agents: { state: string }[] }>({ path: '/api/v1/agents' });
      const online = agents.filter((one) => one.state === 'online').length;
      if (online === 0) throw new Error('no agent is online, so runs wait; start one with `svc agent`');
      return `${online} online`;
    }),
  ];
}

/**
 * Nothing is reported when NATS is not configured. When the server cannot be asked, that is reported for the server.
 */
async function wakes({ client }: Invocation): Promise<Finding[]> {
  const metrics = await client()
    .then((api) => api.text({ path: '/metrics' }))
    .catch(() => '');
  const [, connected] = /^svc_wake_connected (\d)$/m.exec(metrics) ?? [];
  if (connected === undefined) return [];
  if (connected === '1') return [{ what: 'wake-ups', ok: true, says: 'go to other servers by NATS' }];
  const says = 'the server cannot reach NATS (SVC_WAKE_URL); other servers find its work by polling';
  return [{ what: 'wake-ups', ok: false, says }];
}

/**
 * The endpoints of the providers, as this service reaches them. Nothing is reported when none is configured, or when the
 * server does not know who asks, which is reported for the token.
 */
async function providers({ client }: Invocation, known: boolean): Promise<Finding[]> {
  if (!known) return [];
  let count = 0;
  let checks: ProviderChecks['checks'] = [];
  const asked = await attempt('providers', async () => {
    const api = await client();
    const listed = await api.json<ListProviders200>({ path: api.scoped('/providers') });
    count = listed.providers.length;
    if (count > 0)
      ({ checks } = await api.json<ProviderChecks>({ method: 'POST', path: api.scoped('/providers/check') }));
    return `${count} configured`;
  });
  if (asked.ok && count === 0) return [];
  return [asked, ...checks.map(({ provider, endpoint, ok, says }) => ({ what: `${provider} ${endpoint}`, ok, says }))];
}

/**
 * Whether the issuer answers by which people sign in. Nothing is reported when none is configured, or to those who do not own
 * the org: the check sends requests to other systems.
 */
async function signIn({ client }: Invocation, known: boolean): Promise<Finding[]> {
  if (!known) return [];
  let checks: SignInChecks['checks'] = [];
  const asked = await attempt('sign-in', async () => {
    const api = await client();
    const path = `/api/v1/orgs/${encodeURIComponent(api.profile.org)}/session/methods/check`;
    try {
      ({ checks } = await api.json<SignInChecks>({ method: 'POST', path }));
    } catch (error) {
      if (!(error instanceof CliError && error.code === 'forbidden')) throw error;
    }
    return 'by token';
  });
  return asked.ok ? checks.map(({ method, ok, says }) => ({ what: `sign-in ${method}`, ok, says })) : [asked];
}

export const run: Run = async (invocation) => {
  const { output } = invocation;
  const reached = await server(invocation);
  const known = reached.some(({ what, ok }) => what === 'token' && ok);
  const findings: Finding[] = [
    { what: 'node', ok: true, says: process.version },
    await interpreter('bash'),
    await interpreter('python3'),
    ...(await nativePrograms(invocation)),
    ...reached,
    ...(await wakes(invocation)),
    ...(await signIn(invocation, known)),
    ...(await providers(invocation, known)),
  ];
  const width = Math.max(...findings.map(({ what }) => what.length));
  const { colours } = output;
  output.data({ findings }, () =>
    findings
      .map((one) => `${one.ok ? colours.green('ok  ') : colours.red('FAIL')} ${one.what.padEnd(width)} ${one.says}`)
      .join('\n'),
  );
  return findings.every(({ ok }) => ok) ? Exit.ok : Exit.failed;
};
