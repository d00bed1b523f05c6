import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import ts from 'typescript';

const GLOSSARY = 'kernel/GLOSSARY.md';
/** The names that held refused words before the test came, by folder: `kernel`, `cli` or that of a plugin. It only shrinks. */
const REMAINING = 'test/arch/refused-words.json';

/** Names that other programs see, or that code outside of this repository imports. Each stays, for the reason given. */
export const PUBLIC_NAMES: Readonly<Record<string, string>> = {
  Fault: 'type that svc/plugin publishes',
  beyond_reach: 'member of the answer to the revocation of a token',
  keep_minted: 'parameter of the query that revokes a token',
  says: 'member of the answers to checks of providers and sign-in methods',
  token_reaches: 'member of the answer to an accepted invitation',
};

/** Terms of the field that hold a refused word, and mean one thing. */
const TERMS = /\b(keep alive|look ahead|look behind|take over|plain text|part number)\b/g;

/** The words of the table in kernel/GLOSSARY.md, each with what to write instead. A phrase is words joined by a space. */
export function refusedWords(glossary: string): Map<string, string> {
  const section = glossary.split(/^## Rejected words$/m)[1]?.split(/^## /m)[0] ?? '';
  const rows = section.split('\n').flatMap((line) => {
    const [, words, instead] = /^\| `(.+?)` \| (.+) \|$/.exec(line) ?? [];
    return words === undefined ? [] : [[words, instead!] as const];
  });
  return new Map(rows.flatMap(([words, instead]) => words.split('`, `').map((word) => [word, instead] as const)));
}

/** `lookAheadBytes`, `look_ahead_bytes` and `LOOK_AHEAD_BYTES` are all `look ahead bytes`. */
export const wordsOf = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, (_, end, start, letter) =>
      letter === undefined ? `${end} ${start}` : `${letter} `,
    )
    .replaceAll(/[_$#\s]+/g, ' ')
    .trim()
    .toLowerCase();

/** The identifier that a node declares, if it declares a name of its own. */
function declaredName(node: ts.Node): ts.Identifier | ts.PrivateIdentifier | undefined {
  // A shorthand repeats a name that is declared elsewhere.
  const declares =
    (ts.isBindingElement(node) &&
      (node.propertyName !== undefined ||
        node.dotDotDotToken !== undefined ||
        ts.isArrayBindingPattern(node.parent))) ||
    ((ts.isImportSpecifier(node) || ts.isExportSpecifier(node)) && node.propertyName !== undefined) ||
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isFunctionLike(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isClassLike(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isEnumDeclaration(node) ||
    ts.isEnumMember(node) ||
    ts.isTypeParameterDeclaration(node) ||
    ts.isNamedTupleMember(node) ||
    ts.isNamespaceImport(node);
  const { name } = node as ts.NamedDeclaration;
  return declares && name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) ? name : undefined;
}

export interface Declared {
  name: string;
  line: number;
}

/** Every name that a file declares: of types, functions, members, parameters and variables. */
export function declaredNames(path: string, text = readFileSync(path, 'utf8')): Declared[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const declared: Declared[] = [];
  const visit = (node: ts.Node): void => {
    const name = declaredName(node);
    if (name) {
      const { line } = file.getLineAndCharacterOfPosition(name.getStart(file));
      declared.push({ name: name.text.replace(/^#/, ''), line: line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return declared;
}

/** Returns the refused word or phrase that a name holds outside of terms, if it holds one. */
export function refusedWordOf(name: string, words: Iterable<string>): string | undefined {
  const padded = ` ${wordsOf(name).replaceAll(TERMS, '')} `;
  return [...words].find((word) => padded.includes(` ${word} `));
}

export type NamesByFolder = Record<string, string[]>;

const folderOf = (path: string): string => /^(plugins\/[^/]+\/[^/]+|[^/]+)/.exec(path)![0];

/** Every name that the product declares, without tests and generated types. */
export function productNames(): NamesByFolder {
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', 'kernel', 'plugins', 'cli'];
  const paths = execFileSync('git', listed, { encoding: 'utf8' }).split('\n');
  const names = new Map<string, Set<string>>();
  for (const path of paths) {
    if (!/\.m?tsx?$/.test(path) || /\.test\.|testsuite\.|\/(testing|generated)\//.test(path)) continue;
    if (!existsSync(path)) continue;
    const folder = folderOf(path);
    if (!names.has(folder)) names.set(folder, new Set());
    for (const { name } of declaredNames(path)) names.get(folder)!.add(name);
  }
  return Object.fromEntries(
    [...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([folder, declared]) => [folder, [...declared].sort()]),
  );
}

/** Those that hold a refused word and are not public. */
export function refusedNames(all: NamesByFolder): NamesByFolder {
  const words = [...refusedWords(readFileSync(GLOSSARY, 'utf8')).keys()];
  return selectNames(all, (name) => !Object.hasOwn(PUBLIC_NAMES, name) && refusedWordOf(name, words) !== undefined);
}

export const readRemaining = (): NamesByFolder => JSON.parse(readFileSync(REMAINING, 'utf8')) as NamesByFolder;

/** The names of `all` that `without` does not have. */
export const difference = (all: NamesByFolder, without: NamesByFolder): NamesByFolder =>
  selectNames(all, (name, folder) => !without[folder]?.includes(name));

function selectNames(all: NamesByFolder, select: (name: string, folder: string) => boolean): NamesByFolder {
  const folders = Object.entries(all).map(
    ([folder, names]) => [folder, names.filter((name) => select(name, folder))] as const,
  );
  return Object.fromEntries(folders.filter(([, names]) => names.length > 0));
}

/** `node test/arch/refused-words.ts --write` takes names that are gone out of the list. It never adds any. */
if (import.meta.main && process.argv.includes('--write')) {
  const remaining = readRemaining();
  const shrunk = difference(remaining, difference(remaining, refusedNames(productNames())));
  writeFileSync(REMAINING, `${JSON.stringify(shrunk, undefined, 2)}\n`);
  execFileSync('node_modules/.bin/biome', ['format', '--write', REMAINING], { stdio: 'inherit' });
}
