import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfiguration, runCucumber } from '@cucumber/cucumber/api';
import { isNeed } from '../kit/needs.ts';
import { type Written, reasonOf } from '../conformance/report/reasons.ts';
import { readRules, type Rule, ruleOf } from '../conformance/report/rules.ts';
import { readUnitTests } from '../conformance/report/unit-tests.ts';

/**
 * Which rules do the scenarios name, and the unit tests where no scenario can see from outside? Reads the features as
 * cucumber does, without running them, checks every tag against features/rules.txt and fails when an area covers less than
 * features/coverage-floor.json says. `--raise` lifts the floor to what is covered, `--missing [area]` lists the rules that
 * nothing names. A scenario shows rules of the specification or is tagged `@contract`, never both: so a run for the
 * specification alone shows every rule too.
 */
const folder = join(import.meta.dirname, '../../features');
const FLOOR = join(folder, 'coverage-floor.json');
/** Close to a rule's id without being one: a slip of the pen that would otherwise count for nothing. */
const SLIP = /^@[A-Z]{2,}-?\d+$/;
/** Scenarios with these tags are not run, so they show nothing; none has one today. */
const LEFT_OUT = ['@wip', '@skip', '@pending'];
/** Each of them says why, in the report of a run that leaves it out. */
const OWN = ['@own-server', '@far-end', '@provider', '@public-url', '@no-public-url'];

interface Scenario extends Written {
  name: string;
}

type Counts = Record<string, { covered: number; total: number }>;

const areaOf = (id: string) => id.split('-')[0] ?? '';

/** Tags of all scenarios, those of their feature and rule included. A step without a definition fails here too. */
async function readScenarios(): Promise<{ scenarios: Scenario[]; complete: boolean }> {
  const scenarios: Scenario[] = [];
  const { runConfiguration } = await loadConfiguration({ provided: { dryRun: true } });
  const { success } = await runCucumber(runConfiguration, {}, ({ pickle }) => {
    if (!pickle) return;
    const { uri, name, tags, steps } = pickle;
    scenarios.push({
      name: `${uri}: ${name}`,
      tags: tags.map((tag) => tag.name),
      steps: steps.map(({ text }) => text),
    });
  });
  return { scenarios, complete: success };
}

function faultsOf(scenarios: readonly Scenario[], rules: readonly Rule[]): string[] {
  const known = new Set(rules.map(({ id }) => id));
  const faults = scenarios.flatMap((scenario) => [
    ...scenario.tags.flatMap((tag) => faultOfTag(tag, scenario.name, known)),
    ...faultsOfKind(scenario),
  ]);
  return [...new Set(faults)];
}

function faultOfTag(tag: string, scenario: string, known: ReadonlySet<string>): string[] {
  if (LEFT_OUT.includes(tag)) return [`${scenario} is left out of the run by ${tag}`];
  const [, program] = /^@needs-(.*)/.exec(tag) ?? [];
  if (program !== undefined && !isNeed(program)) return [`${tag} names nothing of test/kit/needs.ts (${scenario})`];
  const id = ruleOf(tag);
  if (id === undefined) return SLIP.test(tag) ? [`${tag} is no rule's id (${scenario})`] : [];
  return known.has(id) ? [] : [`there is no rule ${id} (${scenario})`];
}

/** Tags that the conformance run goes by. */
function faultsOfKind(scenario: Scenario): string[] {
  const { name, tags } = scenario;
  const shows = tags.some((tag) => ruleOf(tag) !== undefined);
  if (shows && tags.includes('@contract')) return [`${name} names rules of the specification and is tagged @contract`];
  if (!shows && !tags.includes('@contract')) return [`${name} names no rule of the specification: tag it @contract`];
  const own = tags.filter((tag) => OWN.includes(tag));
  if (own.length > 0 && reasonOf(scenario, OWN) === undefined)
    return [`${name} does not say in its steps why it is ${own.join(' ')} (test/conformance/report/reasons.ts)`];
  return [];
}

function count(rules: readonly Rule[], has: (rule: Rule) => boolean): Counts {
  const counts: Counts = {};
  for (const rule of rules) {
    const area = (counts[areaOf(rule.id)] ??= { covered: 0, total: 0 });
    area.total += 1;
    if (has(rule)) area.covered += 1;
  }
  return counts;
}

async function compare(counts: Counts, raise: boolean): Promise<string[]> {
  const floor = JSON.parse(await readFile(FLOOR, 'utf8')) as Record<string, number>;
  if (raise) {
    const lifted = Object.entries(counts).map(([area, { covered }]) => [area, Math.max(covered, floor[area] ?? 0)]);
    const wanted = lifted.filter(([, least]) => least !== 0);
    await writeFile(FLOOR, `${JSON.stringify(Object.fromEntries(wanted), null, 2)}\n`);
  }
  return Object.entries(floor)
    .filter(([area, least]) => (counts[area]?.covered ?? 0) < least)
    .map(([area, least]) => `${area} covers ${counts[area]?.covered ?? 0} rules; it must not go below ${least}`);
}

async function main(args: readonly string[]): Promise<void> {
  const rules = await readRules();
  const { scenarios, complete } = await readScenarios();
  const tests = await readUnitTests();
  const named = new Set([...scenarios, ...tests].flatMap(({ tags }) => tags.map((tag) => tag.slice(1))));
  const has = ({ id, same }: Rule) => named.has(id) || (same !== undefined && named.has(same));
  if (args[0] === '--missing')
    for (const rule of rules) if (!has(rule) && rule.id.startsWith(args[1] ?? '')) process.stdout.write(`${rule.id}\n`);
  const counts = count(rules, has);
  const known = new Set(rules.map(({ id }) => id));
  const misnamed = tests.flatMap(({ name, tags }) => tags.flatMap((tag) => faultOfTag(tag, name, known)));
  const faults = [...faultsOf(scenarios, rules), ...misnamed, ...(await compare(counts, args[0] === '--raise'))];
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  const areas = Object.entries(counts).map(([area, { covered, total }]) => `${area} ${covered}/${total}`);
  process.stdout.write(`rules covered: ${rules.filter(has).length} of ${rules.length}: ${areas.join('  ')}\n`);
  process.exitCode = faults.length === 0 && complete ? 0 : 1;
}

await main(process.argv.slice(2));
