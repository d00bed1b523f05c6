import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfiguration, runCucumber } from '@cucumber/cucumber/api';

/**
 * Which rules do the scenarios name? Reads the features as cucumber does, without running them, checks every tag against
 * features/rules.txt and fails when an area covers less than features/coverage-floor.json says. `--raise` lifts
 * the floor to what is covered, `--missing [area]` lists the rules that no scenario names.
 */
const folder = join(import.meta.dirname, '../../features');
const FLOOR = join(folder, 'coverage-floor.json');
const RULE = /^@([A-Z]{2,}-\d{3})$/;
/** Close to a rule's id without being one: a slip of the pen that would otherwise count for nothing. */
const SLIP = /^@[A-Z]{2,}-?\d+$/;
/** Scenarios with these tags are not run, so they show nothing; none has one today. */
const LEFT_OUT = ['@wip', '@skip', '@pending'];

interface Rule {
  id: string;
  /** Says the same, so a scenario of it shows this one too. */
  same: string | undefined;
}

interface Tag {
  name: string;
  scenario: string;
}

type Counts = Record<string, { covered: number; total: number }>;

const areaOf = (id: string) => id.split('-')[0] ?? '';

async function readRules(): Promise<Rule[]> {
  const lines = (await readFile(join(folder, 'rules.txt'), 'utf8')).trim().split('\n');
  return lines.map((line) => {
    const [id = '', same] = line.split(' ');
    return { id, same };
  });
}

/** Tags of all scenarios, those of their feature and rule included. A step without a definition fails here too. */
async function readTags(): Promise<{ tags: Tag[]; complete: boolean }> {
  const tags: Tag[] = [];
  const { runConfiguration } = await loadConfiguration({ provided: { dryRun: true } });
  const { success } = await runCucumber(runConfiguration, {}, ({ pickle }) => {
    for (const { name } of pickle?.tags ?? []) tags.push({ name, scenario: `${pickle?.uri}: ${pickle?.name}` });
  });
  return { tags, complete: success };
}

function faultsOf(tags: readonly Tag[], rules: readonly Rule[]): string[] {
  const known = new Set(rules.map(({ id }) => id));
  const faults = tags.flatMap(({ name, scenario }) => {
    if (LEFT_OUT.includes(name)) return [`${scenario} is left out of the run by ${name}`];
    const id = RULE.exec(name)?.[1];
    if (id === undefined) return SLIP.test(name) ? [`${name} is no rule's id (${scenario})`] : [];
    return known.has(id) ? [] : [`there is no rule ${id} (${scenario})`];
  });
  return [...new Set(faults)];
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
  const { tags, complete } = await readTags();
  const named = new Set(tags.map(({ name }) => name.slice(1)));
  const has = ({ id, same }: Rule) => named.has(id) || (same !== undefined && named.has(same));
  if (args[0] === '--missing')
    for (const rule of rules) if (!has(rule) && rule.id.startsWith(args[1] ?? '')) process.stdout.write(`${rule.id}\n`);
  const counts = count(rules, has);
  const faults = [...faultsOf(tags, rules), ...(await compare(counts, args[0] === '--raise'))];
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  const areas = Object.entries(counts).map(([area, { covered, total }]) => `${area} ${covered}/${total}`);
  process.stdout.write(`rules covered: ${rules.filter(has).length} of ${rules.length}: ${areas.join('  ')}\n`);
  process.exitCode = faults.length === 0 && complete ? 0 : 1;
}

await main(process.argv.slice(2));
