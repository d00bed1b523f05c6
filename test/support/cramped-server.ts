import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Test } from 'tap';
import { homeFolder } from '../../features/support/home.ts';
import { runToEnd, Service } from '../../features/support/process.ts';

export const SVC = resolve(import.meta.dirname, '../../cli/svc');

/** A server of its own, in a folder with an admin's token, that lets no file grow beyond `kib`: as on a full disk. */
export async function openCrampedServer(t: Test, kib: number, settings: Record<string, string> = {}) {
  const folder = await homeFolder('svc-no-room-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const env = { PATH: process.env.PATH ?? '', SVC_PORT: '0', SVC_LOG_LEVEL: 'error', ...settings };
  const bootstrap = ['admin', 'bootstrap', '--org', 'acme', '--project', 'main', '--user', 'ana', '--json'];
  const made = await runToEnd(SVC, bootstrap, { env, cwd: folder });
  const { token } = JSON.parse(made.stdout) as { token: string };
  // bash counts in units of 1,024 bytes.
  const server = new Service('bash', ['-c', `ulimit -f ${kib}; exec ${SVC} serve`], { env, cwd: folder });
  t.teardown(() => server.kill('SIGKILL'));
  const [, url = ''] = await server.says(/ready: (\S+)/);
  return { folder, env, token, url };
}
