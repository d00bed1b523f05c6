import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Options } from '../options.ts';
import { type Applying, leftOutTags } from './applies.ts';
import { junitOf } from './junit.ts';
import { type Messages, readMessages } from './messages.ts';
import { pageOf } from './page.ts';
import type { Report } from './report.ts';
import { readRules } from './rules.ts';
import { readUnitTests } from './unit-tests.ts';
import { scenariosOf, verdictsOf } from './verdicts.ts';

/** Reads the messages of a run and writes `conformance.json`, `junit.xml` and `report.html`. */
export async function writeReport(
  folder: string,
  messages: Messages,
  options: Pick<Options, 'base_url' | 'token'> & Applying,
  clock: () => Date,
): Promise<Report> {
  const scenarios = scenariosOf(await readMessages(messages), leftOutTags(options));
  const rules = verdictsOf(await readRules(), scenarios, await readUnitTests());
  const server_version = await versionOf(options.base_url);
  const report: Report = {
    date: clock().toISOString(),
    base_url: withoutUser(options.base_url),
    suite_version: await suiteVersion(),
    ...(server_version === undefined ? {} : { server_version }),
    spec_only: options.spec_only,
    counts: { rules: counted(rules), scenarios: counted(scenarios) },
    rules,
    scenarios,
  };
  const clean = JSON.parse(withoutSecrets(JSON.stringify(report), options)) as Report;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'conformance.json'), `${JSON.stringify(clean, null, 2)}\n`);
  await writeFile(join(folder, 'junit.xml'), junitOf(clean));
  await writeFile(join(folder, 'report.html'), pageOf(clean));
  return clean;
}

function counted(list: readonly { result: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { result } of list) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}

function withoutUser(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href.replace(/\/$/, '');
}

/** What a failed step shows may hold the token of the run, and those that scenarios made. */
function withoutSecrets(text: string, { base_url, token }: Pick<Options, 'base_url' | 'token'>): string {
  const { username, password } = new URL(base_url);
  const known = [token, `${username}:${password}@`, decodeURIComponent(password), password];
  const bare = known
    .filter((one) => one !== '' && one !== ':@')
    .reduce((left, one) => left.replaceAll(one, '***'), text);
  return bare.replace(/svc_(pat|agt)_[\w-]+/g, '***');
}

async function suiteVersion(): Promise<string> {
  const path = join(import.meta.dirname, '../../../package.json');
  return (JSON.parse(await readFile(path, 'utf8')) as { version: string }).version;
}

/** By its OpenAPI document, which an implementation may lack. */
async function versionOf(base_url: string): Promise<string | undefined> {
  try {
    const { origin } = new URL(base_url);
    const answer = await fetch(`${origin}/api/v1/openapi.json`, { signal: AbortSignal.timeout(10_000) });
    return ((await answer.json()) as { info?: { version?: string } }).info?.version;
  } catch {
    return undefined; // The server does not answer, or not with that document: the report says nothing of its version.
  }
}
