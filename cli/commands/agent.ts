import { readFile } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { Invocation, Run } from '../command.ts';
import { CliError, Exit } from '../errors.ts';
import { reasonOf } from '../input.ts';
import { storeCompiled, loadKernel } from '../prebuilt/prebuilt.mjs';
import { limitMemory } from './start-garbage.ts';

export const run: Run = async (invocation) => {
  const { flags, output, env } = invocation;
  const { url, token, token_file, caps } = await readAgentFlags(invocation);
  const visible_paths = (flags.show as readonly string[]).map((path) => resolve(path));
  const variable = (name: string, value: unknown) => (value === undefined ? {} : { [name]: String(value) });
  const options = {
    role: 'agent' as const,
    env: {
      ...env,
      SVC_OWN_PROCESS: 'on',
      SVC_URL: url,
      ...variable('SVC_TOKEN', token),
      // Isolated runs must not see this file.
      ...variable('SVC_TOKEN_FILE', token_file === undefined ? undefined : resolve(String(token_file))),
      ...(caps.length > 0 ? { SVC_AGENT_CAPS: caps.join(',') } : {}),
      ...(visible_paths.length > 0 ? { SVC_AGENT_SHOW: visible_paths.join(':') } : {}),
      ...variable('SVC_AGENT_SLOTS', flags.slots),
      ...variable('SVC_AGENT_NAME', flags.name),
      ...variable('SVC_AGENT_WORKDIR', flags.workdir),
      ...variable('SVC_AGENT_UNTRUSTED', flags.untrusted),
      ...variable('SVC_AGENT_ISOLATE', flags.isolate),
      ...variable('SVC_AGENT_NETWORK', flags.network),
      ...variable('SVC_AGENT_RUN_AS', flags.runAs),
      ...(flags.allowRoot === true ? { SVC_AGENT_ALLOW_ROOT: 'on' } : {}),
    },
  };
  const { boot, Clock, runProcess } = await loadKernel('agent');
  await runProcess(
    () => boot(options),
    (kernel) => {
      output.note(`svc agent works for ${url}; SIGTERM drains it`);
      storeCompiled();
      limitMemory(kernel.use(Clock));
    },
    (text) => output.note(text),
  );
  return Number(process.exitCode ?? 0);
};

/**
 * Reads what every agent has: its server, its token, and the capabilities that it announces. Throws `agent_token_missing` for a
 * file that cannot be read.
 */
export async function readAgentFlags({ flags, env, profile }: Pick<Invocation, 'flags' | 'env' | 'profile'>) {
  const { url } = env.SVC_URL ? { url: env.SVC_URL } : await profile();
  const token_file = flags.tokenFile ?? env.SVC_TOKEN_FILE;
  const token = token_file ? await readToken(String(token_file)) : env.SVC_TOKEN;
  return { url, token, token_file, caps: flags.cap as readonly string[] };
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(isAbsolute(file) ? file : resolve(file), 'utf8')).trim();
  } catch (error) {
    throw new CliError(
      Exit.usage,
      'agent_token_missing',
      `cannot read the token file ${file}: ${reasonOf(error)}`,
      'name a file that contains the agent token',
    );
  }
}
