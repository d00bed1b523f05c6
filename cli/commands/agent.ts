import { readFile } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { boot, Clock, ownProcess } from '../../kernel/boot/index.ts';
import type { Run } from '../command.ts';
import { CliError, Exit } from '../errors.ts';
import { letGoOfTheStart } from './start-garbage.ts';

export const run: Run = async ({ flags, output, env, profile }) => {
  const { url } = env.SVC_URL ? { url: env.SVC_URL } : await profile();
  const token_file = flags.tokenFile ?? env.SVC_TOKEN_FILE;
  const token = token_file ? await readToken(String(token_file)) : env.SVC_TOKEN;
  const caps = flags.cap as readonly string[];
  const shown = (flags.show as readonly string[]).map((path) => resolve(path));
  const set = (name: string, value: unknown) => (value === undefined ? {} : { [name]: String(value) });
  const options = {
    role: 'agent' as const,
    env: {
      ...env,
      SVC_OWN_PROCESS: 'on',
      SVC_URL: url,
      ...set('SVC_TOKEN', token),
      // Isolated runs do not see it.
      ...set('SVC_TOKEN_FILE', token_file === undefined ? undefined : resolve(String(token_file))),
      ...(caps.length > 0 ? { SVC_AGENT_CAPS: caps.join(',') } : {}),
      ...(shown.length > 0 ? { SVC_AGENT_SHOW: shown.join(':') } : {}),
      ...set('SVC_AGENT_SLOTS', flags.slots),
      ...set('SVC_AGENT_NAME', flags.name),
      ...set('SVC_AGENT_WORKDIR', flags.workdir),
      ...set('SVC_AGENT_UNTRUSTED', flags.untrusted),
      ...set('SVC_AGENT_ISOLATE', flags.isolate),
      ...set('SVC_AGENT_NETWORK', flags.network),
      ...set('SVC_AGENT_RUN_AS', flags.runAs),
      ...(flags.allowRoot === true ? { SVC_AGENT_ALLOW_ROOT: 'on' } : {}),
    },
  };
  await ownProcess(
    () => boot(options),
    (kernel) => {
      output.note(`svc agent works for ${url}; SIGTERM drains it`);
      letGoOfTheStart(kernel.use(Clock));
    },
    (text) => output.note(text),
  );
  return Number(process.exitCode ?? 0);
};

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(isAbsolute(file) ? file : resolve(file), 'utf8')).trim();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new CliError(
      Exit.usage,
      'agent_token_missing',
      `the token file ${file} cannot be read (${code})`,
      'name a file with the agent token in it',
    );
  }
}
