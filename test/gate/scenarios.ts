import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { IFilterablePickle, Plugin } from '@cucumber/cucumber/api';

/**
 * Which scenarios a run of the features holds. One scenario runs on one store: a hash of its name says on which, and the
 * commit whether it is this one or the other, so that two commits in a row show each scenario on both. What the database
 * itself decides (`@store`) runs on both each time, and everything does where there is only one.
 */
export interface Choice {
  store: 'sqlite' | 'mysql';
  /** Of the commit, 0 or 1; undefined: every scenario runs here. */
  turn?: number;
  /**
   * `standing`: those that a server of somebody else is asked for, `own`: the others. Absent: both.
   */
  server?: 'standing' | 'own';
  /** Those too that take minutes of processor time (`@long`). */
  long?: boolean;
  /** Every how manyth of what is left, `1/4` the first of four. */
  share?: string;
}

export interface Scenario {
  uri: string;
  name: string;
  tags: readonly string[];
}

const STORES = ['sqlite', 'mysql'] as const;

/**
 * Areas that the gate asks a standing server for, of which it has an address and a token: those whose scripts leave most
 * behind on the agent's machine, and those that speak to systems of the scenario.
 */
const STANDING =
  /^features\/(signals|verbs|runs|requests|requirements|http|secrets|accounts|scripts\/(input|replay|idempotency))[./]/;
/** The gate's server for these has no public address. */
const OWN = ['@own-server', '@public-url'];

const isStanding = ({ uri, tags }: Scenario) => STANDING.test(uri) && !tags.some((tag) => OWN.includes(tag));

/** The scenarios of a choice, in their order. Rows of a table with the same name are told apart by their place among them. */
export function chosen<T>(all: readonly T[], of: (one: T) => Scenario, choice: Choice): T[] {
  const seen = new Map<string, number>();
  const kept = all.filter((one) => {
    const scenario = of(one);
    const name = `${scenario.uri}\n${scenario.name}`;
    const row = seen.get(name) ?? 0;
    seen.set(name, row + 1);
    if (choice.long !== true && scenario.tags.includes('@long')) return false;
    return isOnStore(scenario, `${name}\n${row}`, choice) && isOnServer(scenario, choice);
  });
  const [nth = 1, count = 1] = (choice.share ?? '1/1').split('/').map(Number);
  return kept.filter((_, index) => index % count === nth - 1);
}

function isOnStore({ tags }: Scenario, key: string, { store, turn }: Choice): boolean {
  return turn === undefined || tags.includes('@store') || storeOfTurn(key, turn) === store;
}

/** One of the two by a hash of the name, and the other one at the next turn. */
export function storeOfTurn(key: string, turn: number): Choice['store'] {
  const half = createHash('sha256').update(key).digest()[0]! % 2;
  return STORES[(half + turn) % 2]!;
}

const isOnServer = (scenario: Scenario, { server }: Choice): boolean =>
  server === undefined || (server === 'standing') === isStanding(scenario);

/**
 * 0 and 1 in turn from commit to commit of the branch: a merge counts as one. `SVC_TEST_TURN` names one, to see again what
 * another commit saw. A clone without its history goes by the time of its commit, and a folder without git has the first.
 */
export function turnOfCommit(env: NodeJS.ProcessEnv = process.env, cwd = process.cwd()): number {
  const named = env.SVC_TEST_TURN;
  if (named === '0' || named === '1') return Number(named);
  if (named) throw new Error(`SVC_TEST_TURN is "${named}"; it must be 0 or 1`);
  const git = (...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    const shallow = git('rev-parse', '--is-shallow-repository') === 'true';
    const text = shallow ? git('log', '-1', '--format=%ct') : git('rev-list', '--count', '--first-parent', 'HEAD');
    return Number(text) % 2;
  } catch {
    return 0; // No git, or a folder that is no clone.
  }
}

const NAMED = 'SVC_TEST_SCENARIOS';

/** For cucumber (cucumber.json): a choice as JSON in SVC_TEST_SCENARIOS. Without it every scenario that is named runs. */
const plugin: Plugin = {
  type: 'plugin',
  coordinator: ({ operation, transform, environment }) => {
    const text = environment.env[NAMED];
    if (!text || operation !== 'runCucumber') return;
    const choice = readChoice(text);
    const of = ({ pickle: { uri, name, tags } }: IFilterablePickle) => ({
      uri,
      name,
      tags: tags.map((tag) => tag.name),
    });
    transform('pickles:filter', (all) => chosen(all, of, choice));
  },
};

function readChoice(text: string): Choice {
  const choice = JSON.parse(text) as Choice;
  const { store, share = '1/1' } = choice;
  const [nth = 0, count = 0] = share.split('/').map(Number);
  if (!STORES.includes(store) || !(nth >= 1 && nth <= count))
    throw new Error(`${NAMED} is ${text}; it must name a store and a share`);
  return choice;
}

export default plugin;
