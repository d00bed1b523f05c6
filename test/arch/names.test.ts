import { readFileSync } from 'node:fs';
import t from 'tap';
import { needs } from '../kit/needs.ts';
import {
  declaredNames,
  difference,
  productNames,
  PUBLIC_NAMES,
  readRemaining,
  refusedNames,
  refusedWordOf,
  refusedWords,
  wordsOf,
} from './refused-words.ts';

const git = needs('git');
const names = git.skip === undefined ? productNames() : {};
const words = refusedWords(readFileSync('kernel/GLOSSARY.md', 'utf8'));

t.test('a refused word is found in every spelling of a name, and only as a word of its own', async (t) => {
  t.ok(words.size > 50, 'the table of the glossary is read');
  for (const name of ['keptRows', 'kept_rows', 'KEPT_ROWS', 'isKept', 'underWay', 'UNDER_WAY_CALLS'])
    t.ok(refusedWordOf(name, words.keys()), name);
  for (const name of ['keptable', 'keepAliveMs', 'takeOver', 'underline', 'partition', 'placeholders'])
    t.equal(refusedWordOf(name, words.keys()), undefined, name);
  t.equal(wordsOf('parseJSONText2Lines'), 'parse json text2 lines');
});

t.test('names are found wherever one is declared', async (t) => {
  const text = `
    import { a as imported } from 'x';
    interface Type<Param> { member: string; method(argument: number): void }
    enum Choice { Option }
    class Class { #field = 1; get getter() { return 1 } constructor(readonly property: string) {} }
    const { key: renamed, shorthand, ...rest } = object, [element] = list;
    type Tuple = [label: string];
    for (const item of items) try { inner(() => { let local; }) } catch (caught) {}
  `;
  const expected = 'imported Type Param member method argument Choice Option Class field getter property renamed rest';
  t.same(
    declaredNames('x.ts', text).map(({ name }) => name),
    `${expected} element Tuple label item local caught`.split(' '),
  );
});

t.test('no name that is declared holds a word that the glossary refuses', git, async (t) => {
  const refused = refusedNames(names);
  const remaining = readRemaining();
  t.same(difference(refused, remaining), {}, 'kernel/GLOSSARY.md says what to write instead');
  t.same(difference(remaining, refused), {}, 'names that are gone: node test/arch/refused-words.ts --write');
});

t.test('each public name that stays holds a refused word and is declared', git, async (t) => {
  const declared = new Set(Object.values(names).flat());
  const needless = Object.keys(PUBLIC_NAMES).filter(
    (name) => !declared.has(name) || refusedWordOf(name, words.keys()) === undefined,
  );
  t.same(needless, []);
});
