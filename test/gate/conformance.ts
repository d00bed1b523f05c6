import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SuiteProvider } from '../support/suite-provider.ts';
import { startStanding } from '../conformance/standing.ts';
import { reasonOf } from '../kit/needs.ts';

/**
 * The conformance command against a server that it did not start: of that it has an address and a token. Which scenarios it
 * is asked for, SVC_TEST_SCENARIOS says (scenarios.ts).
 */
async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-report-'));
  const providers = join(folder, 'providers.json');
  await writeFile(providers, await SuiteProvider.write());
  const env = { SVC_EGRESS_ALLOW: '127.0.0.1', SVC_CONNECTED_ACCOUNT_PROVIDERS: await readFile(providers, 'utf8') };
  const standing = await startStanding(env);
  try {
    if (!standing.apart)
      process.stdout.write(
        `left out: a machine of its own for the server of the conformance run (${reasonOf(['namespaces'])})\n`,
      );
    const command = join(import.meta.dirname, '../conformance/features.ts');
    const args = [
      '--base-url',
      standing.base_url,
      '--reach',
      '127.0.0.1',
      '--providers',
      providers,
      '--report',
      folder,
    ];
    const env = { ...process.env, SVC_TOKEN: standing.token };
    const child = spawn(process.execPath, [command, ...args], { env, stdio: 'inherit' });
    const [code] = (await once(child, 'close')) as [number | null];
    process.exitCode = code ?? 1;
  } finally {
    await standing.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
