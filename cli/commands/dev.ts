import { join, resolve } from 'node:path';
import { Client } from '../client/client.ts';
import { readProfileFile } from '../client/profile.ts';
import type { Run } from '../command.ts';
import { CliError } from '../errors.ts';
import type { SignInLink } from '../generated/api.ts';
import { withSecretFiles } from '../secret-files.ts';
import { reportRuns } from './dev-runs.ts';
import { lockHome } from '../home-lock.ts';
import { describeDatabase } from './opened-database.ts';
import { storeCompiled, loadKernel } from '../prebuilt/prebuilt.mjs';
import { limitMemory } from './start-garbage.ts';
import { resolveWorkerFiles } from './worker-files.ts';

export const run: Run = async ({ flags, output, env: process_env }) => {
  const env = await withSecretFiles(process_env);
  const home = resolve(String(flags.home ?? '.svc'));
  const form = (flags.log ?? (process.stderr.isTTY ? 'plain' : 'off')) as 'plain' | 'json' | 'off';
  const unlock = await lockHome(home);
  const abort = new AbortController();
  let reporting: Promise<void> | undefined;
  try {
    const database = await describeDatabase(home, env.SVC_DATABASE_URL);
    const port = flags.port === undefined ? {} : { port: Number(flags.port) };
    const files = resolveWorkerFiles(flags.worker as readonly string[]);
    const boot_env = {
      ...env,
      SVC_OWN_PROCESS: 'on',
      ...(flags.noAgent ? { SVC_BUILTIN_AGENT: 'off' } : {}),
      ...(files.length > 0 ? { SVC_WORKER_FILES: files.join(':'), SVC_WORKER_RELOAD: 'on' } : {}),
    };
    const { boot, Clock, runProcess } = await loadKernel('dev');
    await runProcess(
      () => boot({ role: 'dev', env: boot_env, settings: { home, home_locked: true, ...port } }),
      async (kernel) => {
        output.note(`svc dev is ready: ${kernel.base_url()} (console, API${flags.noAgent ? '' : ', one agent'})`);
        output.note(
          `profile ${join(home, 'profile.json')}; try: svc submit ${files.length > 0 ? '--function <name>' : '<file>'} --follow. Ctrl-C stops it.`,
        );
        output.note(database);
        output.note(await signInMessage(join(home, 'profile.json')));
        if (form !== 'off') {
          const api = new Client(await readProfileFile(join(home, 'profile.json')));
          reporting = reportRuns(api, form, (line) => output.note(line), abort.signal);
        }
        storeCompiled();
        limitMemory(kernel.use(Clock));
      },
      (text) => output.note(text),
    );
  } finally {
    abort.abort();
    await reporting;
    unlock();
  }
  return Number(process.exitCode ?? 0);
};

/** Makes a sign-in link for the person who started the server. The server works without one too. */
async function signInMessage(profile: string): Promise<string> {
  try {
    const api = new Client(await readProfileFile(profile));
    const { url } = await api.json<SignInLink>({ method: 'POST', path: '/api/v1/session/links' });
    return `open ${url} (signs you in once, within 5 minutes; later: svc console)`;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return `there is no link to the console: ${error.message}; try \`svc console\``;
  }
}
