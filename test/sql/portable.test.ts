import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import ts from 'typescript';
import { CONSTRUCTS } from './constructs.ts';
import { shapeOf } from './shape.ts';

const clone = join(import.meta.dirname, '../..');
const OTHERS = /\.(test|testsuite)\.ts$|\/generated\/|^plugins\/platform\/database\/sqlite\//;
/** `file: construct`, each with a reason. One that is not needed any more is refused too. */
const ALLOWED: Readonly<Record<string, string>> = {
  'plugins/platform/database/mysql/session.ts: SKIP LOCKED, NOWAIT, WAIT':
    'the one place that says it; TiDB needs FOR UPDATE here, see docs/databases.md',
};

/** Every text in a program that may be SQL or a part of it, on one line, with `{}` where something is put in. */
function statementsOf(text: string): string[] {
  const file = ts.createSourceFile('program.ts', text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) found.push(node.text);
    if (ts.isTemplateExpression(node))
      found.push(node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join(''));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.filter((one) => SQL.test(one)).map(shapeOf);
}
const SQL =
  /\b(SELECT|INSERT|UPDATE|DELETE|REPLACE|CREATE|ALTER|DROP|SET|WHERE|FROM|JOIN|LOCK|UNION|ON DUPLICATE|RETURNING|COLLATE)\b/;

const refused = (statement: string): string[] =>
  CONSTRUCTS.filter(({ pattern }) => pattern.test(statement)).map(({ name }) => name);

t.test('every statement is one that MySQL, MariaDB, Galera, TiDB and Vitess know', async (t) => {
  const files = globSync('{kernel,plugins}/**/*.ts', { cwd: clone }).filter((file) => !OTHERS.test(file));
  const used = new Set<string>();
  const found: string[] = [];
  let count = 0;
  for (const file of files.sort())
    for (const statement of statementsOf(readFileSync(join(clone, file), 'utf8'))) {
      count++;
      for (const name of refused(statement)) {
        const place = `${file}: ${name}`;
        if (place in ALLOWED) used.add(place);
        else found.push(`${place}: ${CONSTRUCTS.find((one) => one.name === name)!.reason}: ${statement}`);
      }
    }
  t.ok(count > 500, `${count} texts were read`);
  t.same(found, []);
  t.same(
    Object.keys(ALLOWED).filter((place) => !used.has(place)),
    [],
    'nothing is allowed that is not there',
  );
});

t.test('a statement with any of them is found, in a program as in a migration', async (t) => {
  for (const { name, sample } of CONSTRUCTS) {
    t.ok(refused(sample).includes(name), sample);
    const program = `export const x = migration('0001-x', [\n  \`${sample.replaceAll(/ /g, '\n  ')} \${end}\`,\n]);`;
    t.same(statementsOf(program).flatMap(refused), refused(sample), `${name}, over several lines`);
  }
});

t.test('what all of them know is let through', async (t) => {
  const known = [
    'INSERT INTO t (a, b) VALUES (?, ?) ON DUPLICATE KEY UPDATE b = VALUES(b)',
    'INSERT IGNORE INTO t (a) VALUES (?)',
    'SELECT a AS n FROM t WHERE a = ? ORDER BY a LIMIT 5 FOR UPDATE',
    'UPDATE t FORCE INDEX (i) SET a = a + 1 WHERE b IN (SELECT b FROM u)',
    'DELETE FROM t WHERE a = ?',
    'CREATE UNIQUE INDEX i ON t (a, b)',
    'CREATE TABLE t (a VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, PRIMARY KEY (a))',
    'SELECT a FROM t UNION ALL SELECT a FROM u',
    'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  ];
  for (const statement of known) t.same(refused(statement), [], statement);
});
