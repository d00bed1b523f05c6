import { boot, ownProcess } from '../../kernel/boot/index.ts';
import type { Run } from '../command.ts';
import { letGoOfTheStart } from './start-garbage.ts';

export const run: Run = async ({ output, env }) => {
  await ownProcess(
    () => boot({ role: 'server', env: { ...env, SVC_OWN_PROCESS: 'on' } }),
    (kernel) => {
      output.note(`svc serve is ready: ${kernel.base_url()}`);
      letGoOfTheStart();
    },
  );
  return Number(process.exitCode ?? 0);
};
