import { boot, ownProcess } from '../../kernel/boot/index.ts';
import type { Run } from '../command.ts';

export const run: Run = async ({ output, env }) => {
  const kernel = await boot({ role: 'server', env });
  output.note(`svc serve is ready: ${kernel.base_url()}`);
  await ownProcess(kernel);
  return Number(process.exitCode ?? 0);
};
