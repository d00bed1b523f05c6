import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kernel } from '../kernel/boot/index.ts';
import { Client } from './client/client.ts';
import { readProfileFile } from './client/profile.ts';
import type { Invocation, LocalOptions, LocalService } from './command.ts';
import { loadKernel } from './prebuilt/prebuilt.mjs';

/** Boots a server and an agent in memory. They are reachable only through a socket in a private folder. */
export async function startLocalService(
  env: Invocation['env'],
  { skip_time }: LocalOptions = {},
): Promise<LocalService> {
  const { boot, SkippingClock } = await loadKernel('local');
  const folder = await mkdtemp(join(tmpdir(), 'svc-run-'));
  // Commands in the folder find the profile there, as they do beside `svc dev`.
  const home = join(folder, '.svc');
  const settings = { home, database_url: 'sqlite::memory:', socket_path: join(home, 'http.sock') };
  const clock = skip_time === true ? new SkippingClock() : undefined;
  let kernel: Kernel | undefined;
  const stop = async () => {
    await kernel?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await mkdir(home, { mode: 0o700 });
    kernel = await boot({ role: 'local', env: { SVC_LOG_LEVEL: 'error', ...env }, settings, clock });
    return { client: new Client(await readProfileFile(join(home, 'profile.json'))), folder, clock, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
