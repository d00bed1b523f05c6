import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ownCache } from '../../kernel/contracts/own-cache.mjs';
import { openDatabases } from '../gate/databases.ts';
import { boundedRun, endAllRuns } from './bounded-run.ts';
import { countsOf, inWords, type Outcome, pageOf, standingOf, told } from './page.ts';
import { faultOf, type Mutant, planted, readMutants } from './planted.ts';
import { Results } from './results.ts';
import { Selector } from './selection.ts';
import { type Catcher, failedScenarios, type Machine, runFeatures, runUnit, type Store, tryMutant } from './trial.ts';
import { Tree } from './tree.ts';
import { Types } from './types.ts';

const USAGE = `Usage: npm run mutants -- [flags]

Plants small faults in a copy of the tree, one after the other, and runs the scenarios and unit files that name the rule or
load the file, until one notices. What is known already is not run again.

  --only <text,…>     mutants whose rule, file, family or words hold one of these texts
  --from <n>          from the nth on
  --survivors         again those that survived, or were caught by what does not name their rule
  --fresh             again all that are chosen
  --confirm           none; only runs the tests that have caught some without a fault
  --quick             begin with unit files that load the file and take a second
  --workers <n>       how many copies are tried at the same time (default: 1)
  --report <folder>   where mutants.html and mutants.jsonl stand (default: reports/conformance)
  --list              which are chosen, without running them
  --help              this text
`;

interface Asked {
  only: string;
  from: number;
  survivors: boolean;
  fresh: boolean;
  confirm: boolean;
  list: boolean;
  quick: boolean;
  workers: number;
  report: string;
}

/** Undefined for what the usage does not allow. */
function readArguments(args: readonly string[]): Asked | undefined {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: text,
        from: text,
        workers: text,
        report: text,
        survivors: flag,
        fresh: flag,
        confirm: flag,
        list: flag,
        quick: flag,
      },
    });
    const { only = '', from = '1', workers = '1', report = 'reports/conformance', ...flags } = values;
    const [nth, count] = [Number(from), Number(workers)];
    if (!(Number.isInteger(nth) && nth >= 1 && Number.isInteger(count) && count >= 1)) return undefined;
    return { only, from: nth, workers: count, report: resolve(report), ...flags };
  } catch {
    return undefined; // An unknown flag: the usage says which there are.
  }
}

function isChosen(mutant: Mutant, { only, from }: Asked): boolean {
  const { nth, breaks, file, family, what } = mutant;
  return nth >= from && only.split(',').some((text) => [breaks, file, family, what].some((one) => one.includes(text)));
}

function isDue(mutant: Mutant, asked: Asked, results: Results): boolean {
  if (mutant.equivalent !== undefined || asked.confirm) return false;
  const known = results.of(mutant);
  if (known === undefined || asked.fresh) return true;
  return asked.survivors && standingOf({ mutant, known }) !== 'caught';
}

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Tries what is due, with as many copies as there are workers. */
async function tryAll(
  due: readonly Mutant[],
  trees: readonly Tree[],
  machine: Machine,
  { results, quick }: { results: Results; quick: boolean },
): Promise<void> {
  const [selector, types] = [await Selector.open(), new Types()];
  const left = [...due];
  let done = 0;
  const work = async (tree: Tree) => {
    for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
      const one = mutant;
      const began = performance.now();
      const error = types.errorIn(one.file, (text) => planted(text, one));
      const verdict =
        error === undefined
          ? await tryMutant(tree, one, selector.of(one), machine, quick)
          : ({ result: 'invalid', why: `it does not compile: ${error}` } as const);
      const seconds = (performance.now() - began) / 1000;
      await results.tried(one, verdict, seconds);
      done += 1;
      const outcome = { mutant: one, known: results.of(one) };
      const loud = standingOf(outcome) === 'survived' ? '**survived**' : standingOf(outcome);
      say(`${done}/${due.length} ${one.nth} ${one.breaks} ${loud} (${seconds.toFixed(0)} s): ${one.what}`);
      say(`    ${told(outcome)}`);
    }
  };
  await Promise.all(trees.map(work));
}

/** Runs what caught mutants without any of them: a test that fails by itself has proven nothing. */
async function confirm(outcomes: readonly Outcome[], tree: Tree, machine: Machine, results: Results): Promise<void> {
  const open = new Map<string, Catcher>();
  for (const { known } of outcomes)
    if (known && 'by' in known.verdict && known.confirmed === undefined && known.verdict.result === 'caught')
      open.set(`${known.verdict.by.store} ${known.verdict.by.test}`, known.verdict.by);
  if (open.size > 0) say(`without a fault: ${open.size} tests that have caught one`);
  const catchers = [...open.values()];
  for (const store of ['sqlite', 'mysql'] as const) await confirmFeatures(catchers, store, tree, machine, results);
  for (const one of catchers.filter(({ test }) => !test.startsWith('features/'))) {
    const { code } = await runUnit(tree, machine, one.test);
    await results.looked(one, code === 0);
  }
}

/** Of a call, which answers for all of its scenarios only when it has ended. */
const CONFIRMED_AT_ONCE = 25;

async function confirmFeatures(
  catchers: readonly Catcher[],
  store: Store,
  tree: Tree,
  machine: Machine,
  results: Results,
): Promise<void> {
  const left = catchers.filter((one) => one.store === store && /^features\/\S+:\d+$/.test(one.test));
  while (left.length > 0) {
    const some = left.splice(0, CONFIRMED_AT_ONCE);
    const places = some.map(({ test }) => test);
    const { code, output, hung } = await runFeatures(tree, machine, store, places, 15 * 60_000);
    const failed = failedScenarios(output).map(({ test }) => test);
    // Ended before its end: nothing is known of any of them.
    if (hung || (code !== 0 && failed.length === 0)) throw new Error(`${places.join(' ')}: ${output.slice(-2000)}`);
    for (const one of some) await results.looked(one, !failed.includes(one.test));
  }
}

/** What unit files copy their databases from. */
async function makeTemplates(tree: Tree, env: NodeJS.ProcessEnv, folder: string): Promise<void> {
  const command = ['node', 'test/gate/templates.ts', folder];
  const { code, output } = await boundedRun(command, { cwd: tree.folder, env, bound_ms: 300_000 });
  if (code !== 0) throw new Error(`the templates of databases cannot be made: ${output}`);
}

async function run(due: readonly Mutant[], chosen: readonly Mutant[], asked: Asked, results: Results): Promise<void> {
  const databases = await openDatabases();
  const mysql = databases.open.find(({ store }) => store === 'mysql')?.server_url;
  const compiled = ownCache('compiled') ?? mkdtempSync(join(tmpdir(), 'svc-compiled-'));
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_COMPILE_CACHE: compiled,
    ...(mysql === undefined ? {} : { SVC_TEST_MYSQL_URL: mysql }),
  };
  const trees: Tree[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'svc-templates-'));
  const leave = () => {
    endAllRuns();
    for (const tree of trees) tree.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      leave();
      process.exit(1);
    });
  try {
    for (let count = Math.min(asked.workers, due.length || 1); count > 0; count--) trees.push(await Tree.copy());
    await makeTemplates(trees[0]!, env, folder);
    const machine = { env: { ...env, SVC_TEST_TEMPLATES: folder }, mysql };
    if (due.length > 0) await tryAll(due, trees, machine, { results, quick: asked.quick });
    const outcomes = () => chosen.map((mutant) => ({ mutant, known: results.of(mutant) }));
    await confirm(outcomes(), trees[0]!, machine, results);
  } finally {
    leave();
    await databases.close();
  }
}

async function main(): Promise<void> {
  const asked = readArguments(process.argv.slice(2));
  if (!asked) {
    process.stderr.write(USAGE);
    process.exitCode = 2;
    return;
  }
  const mutants = await readMutants();
  const misfits = mutants.flatMap((mutant) => faultOf(mutant) ?? []);
  if (misfits.length > 0) throw new Error(misfits.join('\n'));
  await mkdir(asked.report, { recursive: true });
  const results = await Results.open(join(asked.report, 'mutants.jsonl'));
  const chosen = mutants.filter((mutant) => isChosen(mutant, asked));
  const due = chosen.filter((mutant) => isDue(mutant, asked, results));
  if (asked.list) {
    for (const one of chosen)
      say(`${one.nth} ${one.breaks} ${told({ mutant: one, known: results.of(one) })}: ${one.what}`);
    return;
  }
  await run(due, chosen, asked, results);
  const outcomes = mutants.map((mutant) => ({ mutant, known: results.of(mutant) }));
  await writeFile(join(asked.report, 'mutants.html'), pageOf(outcomes, new Date()));
  const mine = outcomes.filter(({ mutant }) => chosen.includes(mutant));
  for (const one of mine)
    if (['survived', 'invalid', 'doubtful'].includes(standingOf(one)))
      say(`${standingOf(one)}: ${one.mutant.nth} ${one.mutant.breaks}: ${one.mutant.what}\n    ${told(one)}`);
  say(`${mine.length} mutants: ${inWords(countsOf(mine))}; ${join(asked.report, 'mutants.html')}`);
  const bad = mine.some((one) => ['survived', 'invalid', 'doubtful'].includes(standingOf(one)));
  process.exitCode = bad ? 1 : 0;
}

await main();
