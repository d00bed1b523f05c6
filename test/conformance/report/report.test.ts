import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { needs } from '../../kit/needs.ts';
import { summaryOf } from './summary.ts';
import type { Report } from './report.ts';
import { writeReport } from './write.ts';

const clone = join(import.meta.dirname, '../../..');
const sample = 'test/conformance/report/sample';
const folder = await mkdtemp(join(tmpdir(), 'svc-report-'));
t.teardown(() => rm(folder, { recursive: true, force: true }));

/** The sample, as the command would run it, but for a part of it; what cucumber itself says of that. */
function cucumber(name: string, more: string[]): string {
  const messages = join(folder, `${name}.ndjson`);
  const args = ['--import', join(sample, 'steps.ts'), '--format', `message:${messages}`, ...more];
  const program = join(clone, 'node_modules/@cucumber/cucumber/bin/cucumber.js');
  // Its own configuration would read the features of the service.
  const config = ['--config', join(sample, 'cucumber.json')];
  spawnSync(process.execPath, [program, ...config, ...args, join(sample, 'sample.feature')], { cwd: clone });
  return messages;
}

const NOW = new Date('2026-11-23T12:00:00.000Z');
const options = { base_url: 'https://ana:hush@svc.example', token: 'svc_pat_owner', spec_only: false };

type Told = { reach?: string; providers?: string; public_url?: string };

async function report(more: Partial<typeof options> & Told = {}, tags = ''): Promise<Report> {
  const left = 'not @own-server and not @far-end and not @provider and not @public-url and not @no-public-url';
  const ran = cucumber('ran', ['--tags', `${left} and not @OVW-008${tags}`]);
  const written = cucumber('written', ['--dry-run']);
  return writeReport(join(folder, 'report'), { ran, written }, { ...options, ...more }, () => NOW);
}

const verdict = ({ rules }: Report, id: string) => {
  const { result, reasons } = rules.find(({ rule }) => rule === id)!;
  return [result, ...reasons];
};

t.test('rule by rule: one failed scenario fails it, and what did not run proves nothing', async (t) => {
  const found = await report();
  t.same(verdict(found, 'OVW-002'), [
    'passed',
    'the server or its agent calls a system on this machine, and the run does not say where it finds it (--reach)',
  ]);
  t.same(verdict(found, 'OVW-003'), ['failed']);
  t.same(verdict(found, 'OVW-004'), ['not_applicable', 'programs in fish, which is not installed']);
  t.same(verdict(found, 'OVW-006'), ['failed'], 'a step without a definition');
  const kills = "it kills the server and starts it again, which only the tests' own server allows";
  t.same(verdict(found, 'OVW-007'), ['not_applicable', kills]);
  t.same(verdict(found, 'OVW-008'), ['not_chosen']);
  t.same(verdict(found, 'OVW-009'), ['not_covered']);
  const inside = 'nobody sees it from outside: a unit test of this implementation shows it';
  t.same(verdict(found, 'CRED-022'), ['not_covered', inside]);
  t.equal(found.rules.length, 786);
  t.same(found.counts.scenarios, { passed: 2, failed: 2, not_applicable: 5, not_chosen: 2 });
  t.equal(found.date, NOW.toISOString());
});

t.test(
  'what the operator has to set for a scenario is told, as long as the run does not say that it is set',
  async (t) => {
    const without = await report();
    const provider =
      "the settings of the server do not name the suite's provider of accounts (--write-providers, --providers)";
    t.same(verdict(without, 'ACCT-001'), ['not_applicable', provider]);
    const address = 'the run does not say that the server has a public address (--public-url)';
    t.same(verdict(without, 'RUN-014'), ['not_applicable', address]);
    t.same(verdict(without, 'RUN-015'), ['not_chosen']);
    const told = await report({ providers: 'providers.json', public_url: 'https://svc.example' });
    t.same(verdict(told, 'ACCT-001'), ['not_chosen']);
    t.same(verdict(told, 'RUN-014'), ['not_chosen']);
    t.same(verdict(told, 'RUN-015'), ['not_applicable', 'the server has a public address (--public-url)']);
    const lines = summaryOf(without).split('\n');
    t.equal(lines[0], 'rules proved: 1 of 786');
    t.equal(lines[1], '  2 failed: OVW-003 OVW-006');
    t.ok(lines.includes(`  1 left out: ${address}`), lines.join('\n').slice(-1000));
  },
);

t.test('a run for the specification alone says what it left to the contract', async (t) => {
  const found = await report({ spec_only: true }, ' and not @contract');
  const { result, reason } = found.scenarios.find(({ name }) => name === 'one of the contract')!;
  t.same(
    [result, reason],
    ['not_applicable', 'it shows the contract only, and the run is for the specification (--spec-only)'],
  );
});

t.test('no file of the report holds a token or a password', async (t) => {
  await report();
  const files = await readdir(join(folder, 'report'));
  t.same(files.sort(), ['conformance.json', 'junit.xml', 'report.html']);
  for (const file of files) {
    const text = await readFile(join(folder, 'report', file), 'utf8');
    t.notMatch(text, /svc_pat_owner|svc_agt_other|hush|ana:/, file);
    t.match(text, /\*\*\*/, `${file} shows where one was`);
    t.match(text, 'svc.example', file);
  }
});

/** What the usual schema of JUnit reports allows, read by a parser of XML that knows no mercy. */
const CHECK = `
import json, sys, xml.etree.ElementTree as tree
allowed = {
  'testsuites': ({'name', 'tests', 'failures', 'errors', 'skipped', 'time'}, {'testsuite'}),
  'testsuite': ({'name', 'timestamp', 'hostname', 'tests', 'failures', 'errors', 'skipped', 'time'}, {'testcase'}),
  'testcase': ({'classname', 'name', 'time'}, {'skipped', 'failure'}),
  'skipped': ({'message'}, set()),
  'failure': ({'message', 'type'}, set()),
}
root = tree.parse(sys.argv[1]).getroot()
for one in root.iter():
  attributes, children = allowed[one.tag]
  assert attributes == set(one.attrib), (one.tag, one.attrib)
  assert all(child.tag in children for child in one), one.tag
for suite in root:
  cases = list(suite)
  assert int(suite.get('tests')) == len(cases)
  for name in ('failure', 'skipped'):
    total = suite.get('failures' if name == 'failure' else name)
    assert int(total) == sum(case.find(name) is not None for case in cases), (name, total)
print(json.dumps([case.get('name') for case in root.iter('testcase')]))
`;

t.test('junit.xml is what its schema allows', needs('python3'), async (t) => {
  await report();
  const names = JSON.parse(
    execFileSync('python3', ['-c', CHECK, join(folder, 'report/junit.xml')], { encoding: 'utf8' }),
  ) as string[];
  t.equal(names.length, 9, 'what was not chosen is not in it');
  t.equal(names[0], 'one that passes & is <shown> [OVW-002 OVW-003]');
});

t.test('the page brings nothing from elsewhere, and runs nothing', async (t) => {
  await report();
  const page = await readFile(join(folder, 'report/report.html'), 'utf8');
  t.notMatch(page, /<script|<link|<img|\bsrc=|url\(|@import/);
  t.match(page, 'one that passes &amp; is &lt;shown&gt;');
  t.match(page, '&lt;b&gt;bold&lt;/b&gt;');
});
