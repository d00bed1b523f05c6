import type { Run } from '../command.ts';
import { assertDatabaseFree } from '../home-lock.ts';
import { withSecretFiles } from '../secret-files.ts';
import { storeCompiled, loadKernel } from '../prebuilt/prebuilt.mjs';
import { limitMemory } from './start-garbage.ts';

export const run: Run = async ({ output, env: process_env }) => {
  const env = await withSecretFiles(process_env);
  await assertDatabaseFree(env.SVC_DATABASE_URL);
  const { boot, Clock, runProcess } = await loadKernel('server');
  await runProcess(
    () => boot({ role: 'server', env: { ...env, SVC_OWN_PROCESS: 'on' } }),
    (kernel) => {
      output.note(`svc serve is ready: ${kernel.base_url()}`);
      storeCompiled();
      limitMemory(kernel.use(Clock));
    },
    (text) => output.note(text),
  );
  return Number(process.exitCode ?? 0);
};
