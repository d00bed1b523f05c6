import { readFile } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { Clock } from '../../kernel/boot/index.ts';
import type { Invocation, Run } from '../command.ts';
import { CliError, Exit } from '../errors.ts';
import { reasonOf } from '../input.ts';
import { storeCompiled, loadKernel } from '../prebuilt/prebuilt.mjs';
import { limitMemory } from './start-garbage.ts';

export const run: Run = async (invocation) => {
  const { flags, output } = invocation;
  const { url, token, token_file, caps } = await readAgentFlags(invocation);
  const visible_paths = (flags.show as readonly string[]).map((path) => resolve(path));
  const settings = {
    SVC_TOKEN: token,
    // Isolated runs must not see this file.
    SVC_TOKEN_FILE: token_file === undefined ? undefined : resolve(String(token_file)),
    SVC_AGENT_CAPS: caps.join(',') || undefined,
    SVC_AGENT_SHOW: visible_paths.join(':') || undefined,
    SVC_AGENT_SLOTS: flags.slots,
    SVC_AGENT_NAME: flags.name,
    SVC_AGENT_WORKDIR: flags.workdir,
    SVC_AGENT_UNTRUSTED: flags.untrusted,
    SVC_AGENT_ISOLATE: flags.isolate,
    SVC_AGENT_NETWORK: flags.network,
    SVC_AGENT_RUN_AS: flags.runAs,
    SVC_AGENT_ALLOW_ROOT: flags.allowRoot === true ? 'on' : undefined,
  };
  await runAgent(invocation, { ...settings, SVC_URL: url }, () =>
    output.note(`svc agent works for ${url}; SIGTERM drains it`),
  );
  return Number(process.exitCode ?? 0);
};

/** Runs an agent in this process until it is stopped. Settings that are undefined keep the value of the environment. */
export async function runAgent(
  { env, output }: Pick<Invocation, 'env' | 'output'>,
  settings: Record<string, unknown>,
  onReady: (clock: Clock) => void,
): Promise<void> {
  const { boot, Clock, runProcess } = await loadKernel('agent');
  const set = Object.entries(settings).filter(([, value]) => value !== undefined);
  const variables = Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
  await runProcess(
    () => boot({ role: 'agent', env: { ...env, SVC_OWN_PROCESS: 'on', ...variables } }),
    (kernel) => {
      const clock = kernel.use(Clock);
      onReady(clock);
      storeCompiled();
      limitMemory(clock);
    },
    (text) => output.note(text),
  );
}

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
      'use a file that contains the agent token',
    );
  }
}
