import { join, resolve } from 'node:path';
import { boot, ownProcess } from '../../kernel/boot/index.ts';
import type { Run } from '../command.ts';
import { lockHome } from './home-lock.ts';

export const run: Run = async ({ flags, output, env }) => {
  const home = resolve(String(flags.home ?? '.svc'));
  const unlock = await lockHome(home);
  try {
    const port = flags.port === undefined ? {} : { port: Number(flags.port) };
    const own = flags.noAgent ? { ...env, SVC_BUILTIN_AGENT: 'off' } : env;
    await ownProcess(
      () => boot({ role: 'dev', env: own, settings: { home, ...port } }),
      (kernel) => {
        output.note(`svc dev is ready: ${kernel.base_url()} (console, API${flags.noAgent ? '' : ', one agent'})`);
        output.note(`profile ${join(home, 'profile.json')}; try: svc submit <file> --follow. Ctrl-C stops it.`);
      },
    );
  } finally {
    unlock();
  }
  return Number(process.exitCode ?? 0);
};
