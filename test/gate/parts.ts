import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { GateDatabase } from './databases.ts';
import { ImportGraph } from './imports.ts';
import type { Choice } from './scenarios.ts';
import { isPure, isServing, storeOfFile, unitFiles } from './unit-files.ts';

/** One part of the gate: a program, how its output is counted, and what it is told. */
export interface Part {
  name: string;
  command: readonly string[];
  /** `checks` count as one passed or failed; the others print totals of their own. */
  counts: 'check' | 'tap' | 'cucumber';
  env?: Record<string, string>;
}

/** What a call of the gate holds. */
export interface Wanted {
  databases: readonly GateDatabase[];
  /** `npm run test:long`: all scenarios on both stores, and whole what else has a short form. */
  long: boolean;
  /** Of the commit. */
  turn: number;
  /** A folder that stays from run to run. */
  cache: string;
  /** A folder of this run. */
  folder: string;
  /** Each file has a process of its own. */
  apart?: boolean;
}

export function checks({ cache, long }: Pick<Wanted, 'cache' | 'long'>): Part[] {
  const check = (name: string, ...command: string[]): Part => ({ name, command, counts: 'check' });
  const built = (name: string) => ['--incremental', '--tsBuildInfoFile', `${cache}/${name}.tsbuildinfo`];
  return [
    check('format and lint', 'biome', 'ci', '--error-on-warnings', '.'),
    // The native compiler finds what tsc does, in a quarter of its time. The package is built by tsc, so a long run asks both.
    check('types and types-aware lint', 'oxlint', '--type-aware', '--type-check', '--deny-warnings'),
    ...(long
      ? [
          check('types', 'tsc', '-p', '.', ...built('clone')),
          check('types of the console', 'tsc', '-p', 'plugins/operations/console/web', ...built('console')),
        ]
      : []),
    check(
      ...(['architecture', 'depcruise', '--cache', `${cache}/depcruise`, '--cache-strategy', 'content'] as const),
      ...['kernel', 'plugins', 'cli', 'features', 'test'],
    ),
    check('dead code', 'knip'),
    check('generated files', 'node', 'test/tools/generate.ts', '--check'),
    check('generated API types', 'node', 'test/tools/generate-api.ts', '--check'),
    check('rule coverage', 'node', 'test/gate/coverage.ts'),
  ];
}

/** Makes what unit files copy. */
export function templatesPart(databases: readonly GateDatabase[], folder: string): Part {
  const mysql = databases.find(({ store }) => store === 'mysql');
  const env: Record<string, string> = mysql ? { SVC_TEST_MYSQL_URL: mysql.server_url } : {};
  return { name: 'templates', command: ['node', 'test/gate/templates.ts', folder], counts: 'check', env };
}

/** In the names of parts that hold several files. */
export const SHARE = 'that share a process';

/** Of files that share a process: more of them would not be faster, and one that breaks its process breaks fewer others. */
const TOGETHER = { pure: 60, serving: 12 };

/** A process for each file, but for those that can share one. */
export async function unitParts(wanted: Wanted, chosen: (file: string) => boolean = () => true): Promise<Part[]> {
  const mysql = wanted.databases.find(({ store }) => store === 'mysql');
  const env: Record<string, string> = {
    TAP_TIMEOUT: '1800',
    SVC_TEST_TEMPLATES: wanted.folder,
    ...(mysql ? { SVC_TEST_MYSQL_URL: mysql.server_url } : {}),
    ...(wanted.long ? { SVC_TEST_LONG: '1' } : {}),
  };
  const both = wanted.databases.length > 1 && !wanted.long;
  const store = (file: string): Record<string, string> => {
    const one = both ? storeOfFile(file, wanted.turn) : undefined;
    return one ? { SVC_TEST_STORE: one } : {};
  };
  const graph = new ImportGraph();
  const files = (await unitFiles()).filter(chosen);
  const alone = (file: string): Part => ({
    name: file,
    command: ['node', file],
    counts: 'tap',
    env: { ...env, ...store(file) },
  });
  // Whoever asks for a file by its name gets it by that.
  if (wanted.apart) return files.map(alone);
  const pure = files.filter((file) => isPure(file, graph));
  const serving = files.filter((file) => !pure.includes(file) && isServing(file, graph));
  const whole = files.filter((file) => !pure.includes(file) && !serving.includes(file));
  const stores = [...new Set(serving.map((file) => store(file).SVC_TEST_STORE))];
  return [
    ...whole.map(alone),
    ...together(`files ${SHARE}`, pure, TOGETHER.pure, env),
    ...stores.flatMap((one) => {
      const name = `servers ${SHARE}, on ${one ?? 'their stores'}`;
      const its = serving.filter((file) => store(file).SVC_TEST_STORE === one);
      return together(name, its, TOGETHER.serving, { ...env, ...(one ? { SVC_TEST_STORE: one } : {}) });
    }),
  ];
}

function together(name: string, files: readonly string[], most: number, env: Record<string, string>): Part[] {
  const count = Math.ceil(files.length / most);
  return Array.from({ length: count }, (_, index) => ({
    name: `${name}, ${index + 1} of ${count}`,
    command: ['node', 'test/gate/together.ts', String(index + 1)],
    counts: 'tap',
    env: { ...env, SVC_TEST_FILES: JSON.stringify(files.filter((_file, at) => at % count === index)) },
  }));
}

/**
 * The features, in shares that have a server and a database of their own. SQLite asks a server for a part of them that stands
 * for an operator's, of which the features know an address and a token.
 */
export function featureParts({ databases, long, turn, folder, apart }: Wanted): Part[] {
  const both = databases.length > 1;
  const [few, many] = [Math.max(2, availableParallelism()), Math.max(3, availableParallelism())];
  return databases.flatMap(({ store, server_url }) => {
    const whole: Choice = { store, long, ...(both && !long ? { turn } : {}) };
    const env: Record<string, string> = {
      ...(store === 'mysql' ? { SVC_TEST_MYSQL_URL: server_url } : {}),
      // To make the templates for one share would take longer than it saves.
      ...(apart ? {} : { SVC_TEST_TEMPLATES: folder }),
    };
    const command = ['node', 'test/gate/features.ts', store];
    if (store === 'mysql') return shares(`features on ${store}`, command, env, whole, many);
    return [
      ...shares(`features on ${store}`, command, env, { ...whole, server: 'own' }, many),
      ...shares(
        "features on an operator's server",
        ['node', 'test/gate/conformance.ts'],
        env,
        { ...whole, server: 'standing' },
        few,
      ),
    ];
  });
}

const shares = (name: string, command: string[], env: Record<string, string>, choice: Choice, count: number): Part[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `${name}, share ${index + 1} of ${count}`,
    command,
    counts: 'cucumber',
    env: { ...env, SVC_TEST_SCENARIOS: JSON.stringify({ ...choice, share: `${index + 1}/${count}` }) },
  }));

/**
 * What a name on the command line means: parts that have it in their names, unit files of which some share a process otherwise, and
 * feature files, all of whose scenarios run on each store. Empty when nothing has that name.
 */
export async function namedParts(name: string, wanted: Wanted): Promise<Part[]> {
  const named = [...checks(wanted), ...featureParts(wanted)].filter((part) => part.name.includes(name));
  const units = await unitParts(wanted, (file) => file.includes(name));
  const shared = (await unitParts(wanted)).filter((part) => part.counts === 'tap' && part.command.length > 2);
  const files = named.length > 0 ? [] : globSync('features/**/*.feature').filter((file) => file.includes(name));
  return [...named, ...shared.filter((part) => part.name.includes(name)), ...units, ...featureFiles(files, wanted)];
}

const featureFiles = (files: readonly string[], { databases }: Wanted): Part[] =>
  files.length === 0
    ? []
    : databases.map(({ store, server_url }) => ({
        name: `${files.length === 1 ? files[0] : `${files.length} feature files`} on ${store}`,
        command: ['node', 'test/gate/features.ts', store, ...files.toSorted()],
        counts: 'cucumber',
        env: (store === 'mysql' ? { SVC_TEST_MYSQL_URL: server_url } : {}) as Record<string, string>,
      }));
