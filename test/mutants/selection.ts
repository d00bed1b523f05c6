import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { loadConfiguration, runCucumber } from '@cucumber/cucumber/api';
import { ImportGraph } from '../gate/imports.ts';
import { isPure, unitFiles } from '../gate/unit-files.ts';
import { readRules, type Rule } from '../conformance/report/rules.ts';
import type { Mutant } from './planted.ts';

export interface Scenario {
  uri: string;
  tags: readonly string[];
}

/** What is run for a mutant, in this order. */
export interface Selection {
  /** The rule, and those that say the same. */
  rules: readonly string[];
  /** Feature files with scenarios that name the rule. */
  features: readonly string[];
  /** Does the database itself decide in one of them? */
  both_stores: boolean;
  /** Unit files with the rule in a title of theirs. */
  named: readonly string[];
  /** Those that load what is changed, or stand beside it: the quickest first. */
  reached: readonly string[];
  /** Of these, the ones that load it and take next to no time. */
  quick: readonly string[];
}

/** Of a file that nobody has timed yet. */
const UNKNOWN_SECONDS = 10;
/** Of a file that opens nothing. */
const PURE_SECONDS = 1;
/** A server of a scenario takes longer to start. */
const QUICK_SECONDS = 3;
const MOST_QUICK = 6;
/** Where the tests of a file stand: in its plugin or part of the clone, or for a page where a browser looks at it. */
function roomsOf(file: string): string[] {
  const [, area] = /^plugins\/operations\/console\/web\/([^/]+)\//.exec(file) ?? [];
  if (area !== undefined) return [`plugins/operations/console/web/${area}/`, `test/console/${area}.`];
  if (file.startsWith('connectors/')) return ['plugins/integrations/connectors/'];
  const [room] = /^(plugins\/[^/]+\/[^/]+|kernel|cli)\//.exec(file) ?? [];
  return room === undefined ? [] : [room];
}

/** The rule, and those that say the same: a scenario of one of them shows all. */
export function withSame(id: string, rules: readonly Rule[]): string[] {
  const first = rules.find((rule) => rule.id === id)?.same ?? id;
  return [...new Set([id, first, ...rules.filter(({ same }) => same === first).map((rule) => rule.id)])];
}

/** Says which scenarios and unit files may notice a fault. */
export class Selector {
  readonly #scenarios: readonly Scenario[];
  readonly #files: readonly { file: string; text: string; seconds: number }[];
  readonly #graph: ImportGraph;
  readonly #rules: readonly Rule[];

  private constructor(
    scenarios: readonly Scenario[],
    rules: readonly Rule[],
    files: readonly { file: string; text: string; seconds: number }[],
    graph: ImportGraph,
  ) {
    this.#scenarios = scenarios;
    this.#rules = rules;
    this.#files = files;
    this.#graph = graph;
  }

  static async open(): Promise<Selector> {
    const graph = new ImportGraph();
    const timings = JSON.parse(await readFile('test/gate/timings.json', 'utf8')) as Record<string, number>;
    const secondsOf = (file: string) => timings[file] ?? (isPure(file, graph) ? PURE_SECONDS : UNKNOWN_SECONDS);
    const files = (await unitFiles())
      .map((file) => ({ file, text: readFileSync(file, 'utf8'), seconds: secondsOf(file) }))
      .sort((a, b) => a.seconds - b.seconds);
    return new Selector(await readScenarios(), await readRules(), files, graph);
  }

  of({ breaks, file }: Mutant): Selection {
    const rules = withSame(breaks, this.#rules);
    const tagged = this.#scenarios.filter(({ tags }) => rules.some((rule) => tags.includes(`@${rule}`)));
    const named = this.#files
      .filter(({ text }) => rules.some((rule) => text.includes(`@${rule}`)))
      .map((one) => one.file);
    const loads = (one: string) => this.#graph.reach(one).files.has(file);
    const rooms = roomsOf(file);
    const besides = (one: string) => rooms.some((room) => one.startsWith(room));
    const rest = this.#files.map((one) => one.file).filter((one) => !named.includes(one));
    const quick = this.#files.filter((one) => one.seconds <= QUICK_SECONDS && besides(one.file) && loads(one.file));
    return {
      rules,
      features: [...new Set(tagged.map(({ uri }) => uri))].sort(),
      both_stores: tagged.some(({ tags }) => tags.includes('@store')),
      named,
      reached: [
        ...rest.filter((one) => besides(one) && loads(one)),
        ...rest.filter((one) => besides(one) && !loads(one)),
        ...rest.filter((one) => !besides(one) && loads(one)),
      ],
      quick: quick.slice(0, MOST_QUICK).map((one) => one.file),
    };
  }
}

/** As cucumber reads them, without running any. */
async function readScenarios(): Promise<Scenario[]> {
  const scenarios: Scenario[] = [];
  const { runConfiguration } = await loadConfiguration({ provided: { dryRun: true } });
  // The summary of scenarios that were not run says nothing.
  runConfiguration.formats.stdout = 'message';
  runConfiguration.formats.files = {};
  const nowhere = new (await import('node:stream')).Writable({ write: (_chunk, _encoding, done) => done() });
  await runCucumber(runConfiguration, { stdout: nowhere }, ({ pickle }) => {
    if (pickle) scenarios.push({ uri: pickle.uri, tags: pickle.tags.map(({ name }) => name) });
  });
  return scenarios;
}
