import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readRules } from '../conformance/report/rules.ts';
import { areaOf, faultOf, type Mutant, planted, readMutants } from './planted.ts';

/** Fewer would no longer stand for the whole. */
const LEAST_MUTANTS = 200;
const LEAST_RULES = 100;

const all = await readMutants();

t.test('every mutant fits the tree, once', async (t) => {
  t.same(
    all.flatMap((mutant) => faultOf(mutant) ?? []),
    [],
    'text that has moved or changed is to be replaced in test/mutants/families',
  );
});

t.test('every family of rules has some, and many rules have their own', async (t) => {
  const rules = new Set((await readRules()).map(({ id }) => id));
  t.same(
    all.filter(({ breaks }) => !rules.has(breaks)).map(({ breaks }) => breaks),
    [],
    'each names a rule of features/rules.txt',
  );
  const broken = new Set(all.map(({ breaks }) => breaks));
  t.same(
    [...new Set([...rules].map(areaOf))].filter((area) => !all.some(({ breaks }) => areaOf(breaks) === area)),
    [],
    'no family is left out',
  );
  t.ok(broken.size >= LEAST_RULES, `${broken.size} rules`);
  t.ok(all.length >= LEAST_MUTANTS, `${all.length} mutants`);
});

t.test('no two are the same, and each says what goes wrong', async (t) => {
  const texts = all.map(({ breaks, file, find, replace }) => JSON.stringify([breaks, file, find, replace]));
  t.equal(new Set(texts).size, texts.length);
  for (const { breaks, what } of all) if (!/^\S.*\.$/.test(what)) t.fail(`${breaks}: ${what}`);
});

t.test('what does not fit is said in a sentence', async (t) => {
  const root = t.testdir({ 'a.ts': 'const one = 1;\nconst two = 1;\n' });
  const mutant: Mutant = {
    ...{ breaks: 'EVT-001', what: 'One is two.', file: 'a.ts', find: 'one = 1', replace: 'one = $&2' },
    ...{ nth: 1, family: 'events' },
  };
  t.equal(faultOf(mutant, root), undefined);
  t.equal(planted('const one = 1;', mutant), 'const one = $&2;', 'what replaces is taken as it is');
  const fault = (change: Partial<Mutant>) => faultOf({ ...mutant, ...change }, root);
  t.match(fault({ find: 'one = 2' }), /^events\.yaml, EVT-001 \(One is two\.\): a\.ts holds no longer .*"one = 2"$/);
  t.match(fault({ find: '= 1' }), /a\.ts holds 2 times what it replaces/);
  t.match(fault({ file: 'b.ts' }), /there is no b\.ts$/);
  t.match(fault({ replace: 'one = 1' }), /replaces the text by itself$/);
});

t.test('a family that is written wrong is refused with its place', async (t) => {
  const folder = t.testdir({});
  const read = async (text: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'events.yaml'), text);
    return readMutants(folder);
  };
  const good = '- { breaks: EVT-001, what: A., file: a.ts, find: a, replace: b }\n';
  t.match(await read(`${good}${good}`), [{ nth: 1, family: 'events' }, { nth: 2 }]);
  await t.rejects(read(`${good}- { breaks: EVT-001, what: A., file: a.ts, find: a }\n`), /mutant 2: replace/);
  await t.rejects(read('- { breaks: EVT-001, what: A., file: a.ts, find: a, replace: b, by: me }\n'), /mutant 1: by/);
  await t.rejects(read('breaks: EVT-001\n'), /events\.yaml must be a list/);
});
