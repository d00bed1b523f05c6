import { createDatabase } from '../support/mysql-server.ts';
import { boundedRun, type Ended } from './bounded-run.ts';
import type { Mutant } from './planted.ts';
import type { Selection } from './selection.ts';
import type { Tree } from './tree.ts';

export type Store = 'sqlite' | 'mysql';

/** A test that noticed a fault: enough to run it again without the fault. */
export interface Catcher {
  /** `features/x.feature:12` or a unit file. */
  test: string;
  store: Store;
  /** Of the scenario or of the test in the file. */
  name: string;
  /** Does it name the rule that is broken? Absent: a quick unit file came before those that do. */
  names_rule?: boolean;
}

export type Verdict =
  | { result: 'caught'; by: Catcher }
  | { result: 'hung'; by: Catcher }
  | { result: 'survived'; ran: number; left_out: number }
  | { result: 'invalid'; why: string };

/** Of one call of a program. */
const BOUND_MS = 300_000;
/** Of all unit files that only load what is changed: what is left when it is over is told. */
const BUDGET_MS = 240_000;

/** What a fault that stops everything would otherwise make wait for minutes. */
const IMPATIENT = { SVC_TEST_PATIENCE: '2', TAP_TIMEOUT: '240', TAP_BAIL: '1' };

export interface Machine {
  env: NodeJS.ProcessEnv;
  /** `mysql://user@host:port`; undefined where only SQLite is tested. */
  mysql: string | undefined;
}

interface Stage {
  names_rule?: boolean;
  run(): Promise<{ ended: Ended; test: string; store: Store }>;
}

/** Runs what may notice the fault, until something does. */
export async function tryMutant(
  tree: Tree,
  mutant: Mutant,
  selection: Selection,
  machine: Machine,
  quick = false,
): Promise<Verdict> {
  const verdict = await tree.with(mutant, async (): Promise<Verdict> => {
    const unbuilt = await build(tree, mutant, machine);
    if (unbuilt !== undefined) return { result: 'invalid', why: unbuilt } as const;
    let ran = 0;
    let left_out = 0;
    let spent = 0;
    for (const stage of stagesOf(tree, selection, machine, quick)) {
      if (stage.names_rule === false && spent > BUDGET_MS) {
        left_out += 1;
        continue;
      }
      const began = performance.now();
      const { ended, test, store } = await runStage(stage);
      ran += 1;
      if (stage.names_rule === false) spent += performance.now() - began;
      const { names_rule } = stage;
      const found = { store, ...(names_rule !== undefined && { names_rule }), ...foundIn(ended.output, test) };
      if (ended.code === 0) continue;
      if (!hasBegun(ended.output)) return { result: 'invalid', why: await whyNotBegun(tree, machine) } as const;
      if (ended.hung) return { result: 'hung', by: found } as const;
      const why = SOMETHING_PASSED.test(ended.output) ? undefined : await whyNotStarted(tree, machine);
      return why === undefined
        ? ({ result: 'caught', by: found } as const)
        : ({ result: 'invalid', why: `the server does not start: ${why}` } as const);
    }
    return { result: 'survived', ran, left_out } as const;
  }); // What was built of the fault goes with it.
  const unbuilt = await build(tree, mutant, machine);
  if (unbuilt !== undefined) throw new Error(unbuilt);
  return verdict;
}

function stagesOf(tree: Tree, selection: Selection, machine: Machine, quick: boolean): Stage[] {
  const { rules, features, both_stores, named, reached } = selection;
  const tags = rules.map((rule) => `@${rule}`).join(' or ');
  const first = quick ? selection.quick : [];
  const tagged = (store: Store, of: string): Stage => ({
    names_rule: true,
    run: async () => ({
      ended: await runFeatures(tree, machine, store, ['--fail-fast', '--tags', of, ...features]),
      test: features.join(' '),
      store,
    }),
  });
  const unit =
    (names_rule?: boolean) =>
    (file: string): Stage => ({
      ...(names_rule !== undefined && { names_rule }),
      run: async () => ({ ended: await runUnit(tree, machine, file), test: file, store: 'sqlite' }),
    });
  return [
    ...first.map(unit()),
    ...(features.length > 0 ? [tagged('sqlite', tags)] : []),
    ...named.map(unit(true)),
    ...(both_stores && machine.mysql !== undefined ? [tagged('mysql', `(${tags}) and @store`)] : []),
    ...reached.filter((file) => !first.includes(file)).map(unit(false)),
  ];
}

/** A machine that is busy may fail to start a server in time: then it is tried once more. */
async function runStage(stage: Stage): ReturnType<Stage['run']> {
  const first = await stage.run();
  return hasBegun(first.ended.output) ? first : stage.run();
}

/** False where the hooks before the first scenario failed. */
const hasBegun = (output: string): boolean => !/^\s+\d+\) BeforeAll # /m.test(output);

/** Features on one of the stores, as cucumber's own arguments name them. */
export async function runFeatures(
  { folder }: Tree,
  { env, mysql }: Machine,
  store: Store,
  args: readonly string[],
  bound_ms = BOUND_MS,
): Promise<Ended> {
  const database = store === 'mysql' && mysql !== undefined ? await createDatabase(mysql) : undefined;
  const own = database ? { SVC_FEATURES_DATABASE_URL: database.url, SVC_FEATURES_MYSQL_SERVER: mysql } : {};
  try {
    return await boundedRun(['cucumber-js', ...args], { cwd: folder, env: { ...env, ...IMPATIENT, ...own }, bound_ms });
  } finally {
    await database?.drop();
  }
}

export const runUnit = ({ folder }: Tree, { env }: Machine, file: string): Promise<Ended> =>
  boundedRun(['node', file], { cwd: folder, env: { ...env, ...IMPATIENT }, bound_ms: BOUND_MS });

/** A step, for which there was a server, or a test of a unit file. */
const SOMETHING_PASSED = /^\d+ steps \(.*\b\d+ passed|^\s*ok \d+ - /m;
/** `1) a name # features/x.feature:12`, below `Failed scenarios:`. */
const SCENARIO = /^\s+\d+\) (.+) # (features\/\S+:\d+)\s*$/gm;
const TEST = /^not ok \d+ - (.+?)(?: # time=.*)?$/m;
/** Where a file ends at the first failure, its test has no line of its own. */
const ASSERT = /^ +not ok \d+ - (.+?)(?: # time=.*)?$/m;

/** All that failed, as cucumber tells it. */
export const failedScenarios = (output: string): { name: string; test: string }[] =>
  [...output.matchAll(SCENARIO)].map(([, name = '', test = '']) => ({ name, test }));

/** What failed first, by its name; the whole program where it does not say. */
export function foundIn(output: string, test: string): { name: string; test: string } {
  const [scenario] = failedScenarios(output);
  if (scenario) return scenario;
  const [, name = ''] = TEST.exec(output) ?? ASSERT.exec(output) ?? [];
  return { name, test };
}

/** What is not run as it is written has to be built; answers why it cannot be. */
async function build({ folder }: Tree, { file }: Mutant, { env }: Machine): Promise<string | undefined> {
  const script = /^plugins\/execution\/scripts\/native\/.*\.[ch]$/.test(file)
    ? 'plugins/execution/scripts/native/build.mjs'
    : file.startsWith('plugins/operations/console/web/')
      ? 'plugins/operations/console/build.mjs'
      : undefined;
  if (script === undefined) return undefined;
  const { code, output } = await boundedRun(['node', script], { cwd: folder, env, bound_ms: BOUND_MS });
  return code === 0 ? undefined : `it cannot be built: ${output.slice(-500)}`;
}

const whyNotBegun = async (tree: Tree, machine: Machine): Promise<string> => {
  const why = await whyNotStarted(tree, machine);
  return why === undefined ? 'the features did not begin, twice' : `the server does not start: ${why}`;
};

/** A server that never starts would fail every test: that is no proof. Answers the last that it said. */
async function whyNotStarted(tree: Tree, { env }: Machine): Promise<string | undefined> {
  const { code, output } = await boundedRun(['node', 'test/mutants/starts.ts'], {
    cwd: tree.folder,
    env,
    bound_ms: 60_000,
  });
  return code === 0 ? undefined : output.slice(-500);
}
