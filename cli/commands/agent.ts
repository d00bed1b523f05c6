import { boot, ownProcess } from '../../kernel/boot/index.ts';
import type { Run } from '../command.ts';

export const run: Run = async ({ flags, output, env, profile }) => {
  const { url } = env.SVC_URL ? { url: env.SVC_URL } : await profile();
  const caps = flags.cap as readonly string[];
  const set = (name: string, value: unknown) => (value === undefined ? {} : { [name]: String(value) });
  const settings = {
    role: 'agent' as const,
    env: {
      ...env,
      SVC_URL: url,
      ...(caps.length > 0 ? { SVC_AGENT_CAPS: caps.join(',') } : {}),
      ...set('SVC_AGENT_SLOTS', flags.slots),
      ...set('SVC_AGENT_NAME', flags.name),
      ...set('SVC_AGENT_WORKDIR', flags.workdir),
    },
  };
  await ownProcess(
    () => boot(settings),
    () => output.note(`svc agent works for ${url}; SIGTERM drains it`),
  );
  return Number(process.exitCode ?? 0);
};
