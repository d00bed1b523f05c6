import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * Runs the feature files against a server that somebody else started. Scenarios that start or kill processes of
 * their own, or that the server must call, are left out as a whole. The token is an org owner's, because every scenario makes a project; an agent of the
 * server must run on this machine, because scripts write into the folders of their scenarios.
 */
const clone = join(import.meta.dirname, '../..');
const USAGE = `usage: npm run conformance -- --base-url <address> [--token <token>] [<feature file>...]
  The token may come from SVC_TOKEN instead, which keeps it out of the process list.\n`;

function target(): { url: string; token: string; files: string[] } | undefined {
  try {
    const { values, positionals } = parseArgs({
      options: { 'base-url': { type: 'string' }, token: { type: 'string' } },
      allowPositionals: true,
    });
    const { 'base-url': url, token = process.env.SVC_TOKEN } = values;
    return url && token ? { url: url.replace(/\/+$/, ''), token, files: positionals } : undefined;
  } catch {
    return undefined; // An unknown flag: the usage says which there are.
  }
}

async function main(): Promise<void> {
  const found = target();
  if (!found) {
    process.stderr.write(USAGE);
    process.exitCode = 2;
    return;
  }
  const env = { ...process.env, SVC_CONFORMANCE_URL: found.url, SVC_CONFORMANCE_TOKEN: found.token };
  const program = join(clone, 'node_modules/.bin/cucumber-js');
  const args = ['--tags', 'not (@own-server or @own-agent or @far-end)', ...found.files];
  const child = spawn(program, args, { env, cwd: clone, stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  process.exitCode = code ?? 1;
}

await main();
