import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ListProviders200, ProviderChecks, SignInChecks, Whoami } from '../generated/api.ts';
import type { Invocation, Run } from '../command.ts';
import { CliError, Exit } from '../errors.ts';

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
