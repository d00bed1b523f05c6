import { join, resolve } from 'node:path';
import { boot, Clock, ownProcess } from '../../kernel/boot/index.ts';
import { Client } from '../client/client.ts';
import { readProfileFile } from '../client/profile.ts';
import type { Run } from '../command.ts';
import { CliError } from '../errors.ts';
import type { SignInLink } from '../generated/api.ts';
import { withSecretFiles } from '../secret-files.ts';
import { tellOfRuns } from './dev-runs.ts';
import { lockHome } from '../home-lock.ts';
import { openedDatabase } from './opened-database.ts';
import { letGoOfTheStart } from './start-garbage.ts';

export const run: Run = async ({ flags, output, env: given }) => {
  const env = await withSecretFiles(given);
  const home = resolve(String(flags.home ?? '.svc'));
  const form = (flags.log ?? (process.stderr.isTTY ? 'plain' : 'off')) as 'plain' | 'json' | 'off';
  const unlock = await lockHome(home);
  const stopped = new AbortController();
  let told: Promise<void> | undefined;
  try {
    const database = await openedDatabase(home, env.SVC_DATABASE_URL);
    const port = flags.port === undefined ? {} : { port: Number(flags.port) };
    const own = { ...env, SVC_OWN_PROCESS: 'on', ...(flags.noAgent ? { SVC_BUILTIN_AGENT: 'off' } : {}) };
    await ownProcess(
      () => boot({ role: 'dev', env: own, settings: { home, home_locked: true, ...port } }),
      async (kernel) => {
        output.note(`svc dev is ready: ${kernel.base_url()} (console, API${flags.noAgent ? '' : ', one agent'})`);
        output.note(`profile ${join(home, 'profile.json')}; try: svc submit <file> --follow. Ctrl-C stops it.`);
        output.note(database);
        output.note(await invitation(join(home, 'profile.json')));
        if (form !== 'off') {
          const api = new Client(await readProfileFile(join(home, 'profile.json')));
          told = tellOfRuns(api, form, (line) => output.note(line), stopped.signal);
        }
        letGoOfTheStart(kernel.use(Clock));
      },
      (text) => output.note(text),
    );
  } finally {
    stopped.abort();
    await told;
    unlock();
  }
  return Number(process.exitCode ?? 0);
};

/** A link to the console, for whoever has started it. A server without one is a server too. */
async function invitation(profile: string): Promise<string> {
  try {
    const api = new Client(await readProfileFile(profile));
    const { url } = await api.json<SignInLink>({ method: 'POST', path: '/api/v1/session/links' });
    return `open ${url} (signs you in, once, within 5 minutes; later: svc console)`;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return `there is no link to the console: ${error.message}; try \`svc console\``;
  }
}
