import { boot, Clock, ownProcess } from '../../kernel/boot/index.ts';
import type { Run } from '../command.ts';
import { refuseHeld } from '../home-lock.ts';
import { withSecretFiles } from '../secret-files.ts';
import { letGoOfTheStart } from './start-garbage.ts';

export const run: Run = async ({ output, env: given }) => {
  const env = await withSecretFiles(given);
  await refuseHeld(env.SVC_DATABASE_URL);
  await ownProcess(
    () => boot({ role: 'server', env: { ...env, SVC_OWN_PROCESS: 'on' } }),
    (kernel) => {
      output.note(`svc serve is ready: ${kernel.base_url()}`);
      letGoOfTheStart(kernel.use(Clock));
    },
    (text) => output.note(text),
  );
  return Number(process.exitCode ?? 0);
};
