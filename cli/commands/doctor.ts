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
  detail: string;
}

const execProgram = promisify(execFile);

async function runCheck(what: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { what, ok: true, detail: await check() };
  } catch (error) {
    const { message, next } = error as Error & { next?: string };
    return { what, ok: false, detail: next ? `${message} → ${next}` : message };
  }
}

const interpreter = (name: string) =>
  runCheck(name, async () => {
    const { stdout } = await execProgram(name, ['--version']).catch((error: NodeJS.ErrnoException) => {
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

/**
 * Checks the native programs that agents and servers of this user run. This compiles them if nobody has yet, because npm may
 * have been told to run no scripts.
 */
async function nativePrograms({ env }: Invocation): Promise<Finding[]> {
  if (process.platform !== 'linux') return [];
  const builder = join(packageFolder(), 'plugins/execution/scripts/native/build.mjs');
  const finding = await runCheck('native', async () => {
    const { stdout } = await execProgram(process.execPath, [builder, '--json'], { env, timeout: FIRST_USE_MS });
    const { programs, why } = JSON.parse(stdout) as NativePrograms;
    if (why !== undefined)
      throw new Error(`${why}, so svc uses slower Node programs and cannot isolate runs → ${COMPILE}`);
    return `compiled, in ${dirname(Object.values(programs)[0]!)}`;
  });
  return [finding];
}

/** svc need not be installed again: the programs are compiled at the next use. */
const COMPILE =
  'install a C compiler (`apt install gcc libc6-dev`, `apk add gcc musl-dev linux-headers`), then `svc doctor`';

async function checkServer({ client }: Invocation): Promise<Finding[]> {
  const profile = await runCheck('profile', async () => {
    const { profile } = await client();
    return `${profile.url}, ${profile.org}/${profile.project} (address from ${profile.origin}, token from ${profile.token_origin})`;
  });
  if (!profile.ok) return [profile];
  const api = await client();
  return [
    profile,
    await runCheck('server', async () => {
      await api.text({ path: '/readyz' });
      return 'answers and is ready';
    }),
    await runCheck('token', async () => {
      const me = await api.json<Whoami>({ path: '/api/v1/whoami' });
      return `${me.user.name} (${me.token.name})`;
    }),
    await runCheck('agents', async () => {
      const { agents } = await api.json<{ agents: { state: string }[] }>({ path: '/api/v1/agents' });
      const online = agents.filter((one) => one.state === 'online').length;
      if (online === 0) throw new Error('no agent is online, so runs wait; start one with `svc agent`');
      return `${online} online`;
    }),
  ];
}

/**
 * Reports nothing when NATS is not configured. A server that does not answer is reported by the check of the server.
 */
async function checkWakeups({ client }: Invocation): Promise<Finding[]> {
  const metrics = await client()
    .then((api) => api.text({ path: '/metrics' }))
    .catch(() => '');
  const [, connected] = /^svc_wake_connected (\d)$/m.exec(metrics) ?? [];
  if (connected === undefined) return [];
  if (connected === '1') return [{ what: 'wake-ups', ok: true, detail: 'reach other servers over NATS' }];
  const detail = 'the server cannot reach NATS (SVC_WAKE_URL); other servers find its work by polling';
  return [{ what: 'wake-ups', ok: false, detail }];
}

/**
 * Checks whether the server reaches the endpoints of the providers. Reports nothing when none is configured, or when the token
 * is not valid, which the check of the token reports.
 */
async function checkProviders({ client }: Invocation, authenticated: boolean): Promise<Finding[]> {
  if (!authenticated) return [];
  let count = 0;
  let checks: ProviderChecks['checks'] = [];
  const finding = await runCheck('providers', async () => {
    const api = await client();
    const listed = await api.json<ListProviders200>({ path: api.scoped('/providers') });
    count = listed.providers.length;
    if (count > 0)
      ({ checks } = await api.json<ProviderChecks>({ method: 'POST', path: api.scoped('/providers/check') }));
    return `${count} configured`;
  });
  if (finding.ok && count === 0) return [];
  return [
    finding,
    ...checks.map(
      ({ provider, endpoint, ok, says }): Finding => ({ what: `${provider} ${endpoint}`, ok, detail: says }),
    ),
  ];
}

/**
 * Checks whether the issuer that signs people in answers. Reports nothing when none is configured, or to people who are not
 * owners of the org, because the check sends requests to other systems.
 */
async function checkSignIn({ client }: Invocation, authenticated: boolean): Promise<Finding[]> {
  if (!authenticated) return [];
  let checks: SignInChecks['checks'] = [];
  const finding = await runCheck('sign-in', async () => {
    const api = await client();
    const path = `/api/v1/orgs/${encodeURIComponent(api.profile.org)}/session/methods/check`;
    try {
      ({ checks } = await api.json<SignInChecks>({ method: 'POST', path }));
    } catch (error) {
      if (!(error instanceof CliError && error.code === 'forbidden')) throw error;
    }
    return 'by token';
  });
  return finding.ok
    ? checks.map(({ method, ok, says }): Finding => ({ what: `sign-in ${method}`, ok, detail: says }))
    : [finding];
}

export const run: Run = async (invocation) => {
  const { output } = invocation;
  const server_findings = await checkServer(invocation);
  const authenticated = server_findings.some(({ what, ok }) => what === 'token' && ok);
  const findings: Finding[] = [
    { what: 'node', ok: true, detail: process.version },
    await interpreter('bash'),
    await interpreter('python3'),
    ...(await nativePrograms(invocation)),
    ...server_findings,
    ...(await checkWakeups(invocation)),
    ...(await checkSignIn(invocation, authenticated)),
    ...(await checkProviders(invocation, authenticated)),
  ];
  const width = Math.max(...findings.map(({ what }) => what.length));
  const { colours } = output;
  output.data({ findings }, () =>
    findings
      .map((one) => `${one.ok ? colours.green('ok  ') : colours.red('FAIL')} ${one.what.padEnd(width)} ${one.detail}`)
      .join('\n'),
  );
  return findings.every(({ ok }) => ok) ? Exit.ok : Exit.failed;
};
