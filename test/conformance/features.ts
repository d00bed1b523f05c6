import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SuiteProvider } from '../support/suite-provider.ts';
import { type Options, providersToWrite, readOptions, USAGE } from './options.ts';
import { leftOutTags } from './report/applies.ts';
import { summaryOf } from './report/summary.ts';
import { writeReport } from './report/write.ts';

/**
 * Runs the feature files against a server that somebody else started, with nothing but its address and the token of an
 * org's owner, because every scenario makes a project. What scripts do on the machine of its agents is seen through the
 * service itself (features/support/probe.ts). Scenarios that start or kill processes of the server are not applicable;
 * the report lists them with their reasons.
 */
const clone = join(import.meta.dirname, '../..');

/** What to do with the file of providers. */
const TOLD = `Start the server with SVC_CONNECTED_ACCOUNT_PROVIDERS=@<file>, and then the run with --providers <file>
`;

/** With its messages in that file. */
async function runFeatures(options: Options, messages: string): Promise<number> {
  const env = {
    ...process.env,
    SVC_CONFORMANCE_URL: options.base_url,
    SVC_CONFORMANCE_TOKEN: options.token,
    SVC_CONFORMANCE_SVC: options.svc ?? '',
    SVC_CONFORMANCE_REACH: options.reach ?? '',
    SVC_CONFORMANCE_PROVIDERS: options.providers ?? '',
    SVC_CONFORMANCE_PUBLIC_URL: options.public_url ?? '',
    SVC_CONFORMANCE_SPEC_ONLY: options.spec_only ? '1' : '',
  };
  const tags = `not (${leftOutTags(options).join(' or ')})`;
  const shard = options.shard === undefined ? [] : ['--shard', options.shard];
  return cucumber(['--tags', tags, '--format', `message:${messages}`, ...shard, ...options.files], env, 'inherit');
}

/** What is written in all features, also where the call, or our gate, names some of them: the report tells of every rule. */
const readFeatures = (messages: string): Promise<number> =>
  cucumber(['--dry-run', '--format', `message:${messages}`], { ...process.env, SVC_TEST_SCENARIOS: '' }, 'ignore');

async function cucumber(args: string[], env: NodeJS.ProcessEnv, stdio: 'inherit' | 'ignore'): Promise<number> {
  const child = spawn(join(clone, 'node_modules/.bin/cucumber-js'), args, { env, cwd: clone, stdio });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

async function main(): Promise<void> {
  const file = providersToWrite(process.argv.slice(2));
  if (file !== undefined) {
    // The secret of a client is in it.
    await writeFile(file, await SuiteProvider.write(), { mode: 0o600 });
    process.stdout.write(TOLD.replaceAll('<file>', file));
    return;
  }
  const options = readOptions(process.argv.slice(2), process.env);
  if (!options) {
    process.stderr.write(USAGE);
    process.exitCode = 2;
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-'));
  try {
    const [ran, written] = [join(folder, 'ran.ndjson'), join(folder, 'written.ndjson')];
    process.exitCode = await runFeatures(options, ran);
    if (options.report === undefined) return;
    await readFeatures(written);
    const report = await writeReport(options.report, { ran, written }, options, () => new Date());
    process.stdout.write(summaryOf(report));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
