import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { clone } from '../../features/support/target.ts';

/** A text that people see, with its file and line. What code puts into it is `_`. */
export interface Shown {
  where: string;
  text: string;
}

/** Attributes that nobody reads. */
const SILENT = /^(className|class|style|key|to|href|src|d|viewBox|transform|role|type|id|rel|points|look)$/;
const MESSAGES = /^(message|detail|hint|next)$/;
const RAISES = /(error|invalid|conflict|notfound|misused|usage|unusable|unreadable|problem|issue)/i;
const INLINE = /^(a|code|strong|em|b|i|span|Link|Name|Time|kbd)$/;

const sentence = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
/** Styles, class names, lists of keywords, SQL, and programs in this or other languages. */
const CODE = [
  /\b(var|color-mix|rgba?|calc)\(|\b\d+px\b|^[.#][\w-]+[ ,]|^(c|is|has|at)-[a-z]+( |$)| (c|is|has)-[a-z]+$/,
  /^[a-z\d-]+( [a-z\d-]+){14,}$|^M\d+ \d/,
  /^(PRAGMA|SELECT|INSERT|CREATE|BEGIN) |^#(!|compdef )|^\/(bin|usr)\//,
  /\bimport [\w{*]|\bdef \w+\(|\bconst \w+ = |=> |\becho "|\$\(svc |; then |^(complete|tsc) |^name: \w+ jobs:|\|---\||^\{ "/,
];

const isCode = (text: string): boolean => CODE.some((pattern) => pattern.test(sentence(text)));

/** Whether it is more than one word, and neither a command nor code. */
const hasWords = (text: string): boolean =>
  /[A-Za-z][\w'’,]* [\w'’]*[a-z]/.test(text) && !/^(svc|curl) /.test(text) && !isCode(text);

const isSum = (node: ts.Node): node is ts.BinaryExpression =>
  ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;

function literalOf(node: ts.Node): string | undefined {
  if (isSum(node)) {
    const [left, right] = [literalOf(node.left), literalOf(node.right)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `_${literal.text}`).join('');
}

const isParent = (node: ts.Node): node is ts.JsxElement | ts.JsxFragment =>
  ts.isJsxElement(node) || ts.isJsxFragment(node);

const isInline = (node: ts.Node): node is ts.JsxElement =>
  ts.isJsxElement(node) && INLINE.test(node.openingElement.tagName.getText());

const speaks = (node: ts.Node): boolean =>
  isParent(node) && node.children.some((child) => ts.isJsxText(child) && /[a-z]/i.test(child.text));

/** The text of an element, its inline elements with it. JSX drops the white space around a line break at an end of a text. */
function elementText({ children }: ts.JsxElement | ts.JsxFragment): string {
  return children
    .map((child) => {
      if (ts.isJsxText(child)) return child.text.replaceAll(/^\s*\n\s*|\s*\n\s*$/g, '');
      if (isInline(child))
        return /^(code|kbd)$/.test(child.openingElement.tagName.getText()) ? '_' : elementText(child);
      const literal = ts.isJsxExpression(child) && child.expression && literalOf(child.expression);
      return typeof literal === 'string' ? literal : '_';
    })
    .join('');
}

/** Types, imports and attributes such as `className`. */
const isSilent = (node: ts.Node): boolean =>
  ts.isImportDeclaration(node) || ts.isTypeNode(node) || (ts.isJsxAttribute(node) && SILENT.test(node.name.getText()));

type Take = (node: ts.Node, text: string) => void;

/** What a page of the console shows: the texts of elements, and each string of words that is no class. */
function takePage(node: ts.Node, take: Take): void {
  if (isParent(node) && speaks(node) && !(isInline(node) && speaks(node.parent))) take(node, elementText(node));
  if (!ts.isSourceFile(node) && isSum(node.parent) && literalOf(node.parent) !== undefined) return;
  const text = literalOf(node);
  if (text !== undefined && hasWords(text)) take(node, text);
}

const nameOf = (callee: ts.Expression): string =>
  ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText();

const isLog = (callee: ts.Expression): boolean =>
  ts.isPropertyAccessExpression(callee) &&
  /^(debug|info|warn|error)$/.test(callee.name.text) &&
  /\b#?log(ger)?$/.test(callee.expression.getText());

/** The words that a value can be: the branches of a condition, and the parts of a sum. */
function wordsOf(node: ts.Expression, take: Take): void {
  const text = literalOf(node);
  if (text !== undefined && hasWords(text)) return take(node, text);
  if (ts.isParenthesizedExpression(node)) wordsOf(node.expression, take);
  if (ts.isConditionalExpression(node)) for (const one of [node.whenTrue, node.whenFalse]) wordsOf(one, take);
  if (ts.isBinaryExpression(node)) for (const one of [node.left, node.right]) wordsOf(one, take);
}

/** What code reports: the arguments of errors and log lines, and the members that an answer shows. */
function takeMessages(node: ts.Node, take: Take): void {
  const isCall = ts.isCallExpression(node) || ts.isNewExpression(node);
  if (isCall && (ts.isThrowStatement(node.parent) || RAISES.test(nameOf(node.expression)) || isLog(node.expression)))
    for (const argument of node.arguments ?? []) wordsOf(argument, take);
  if (ts.isPropertyAssignment(node) && MESSAGES.test(node.name.getText())) wordsOf(node.initializer, take);
}

const DESCRIBES = /^(about|brief|description|help|recorded|summary|title)$/;

/** What routes, metrics and errors say about themselves. */
function takeDescriptions(node: ts.Node, take: Take): void {
  if (ts.isPropertyAssignment(node) && DESCRIBES.test(node.name.getText())) wordsOf(node.initializer, take);
}

function shownIn(takeFrom: (node: ts.Node, take: Take) => void, path: string, source: string): Shown[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const shown: Shown[] = [];
  const take: Take = (node, text) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
    if (sentence(text)) shown.push({ where: `${relative(clone, path)}:${line + 1}`, text: sentence(text) });
  };
  const visit = (node: ts.Node): void => {
    if (isSilent(node)) return;
    takeFrom(node, take);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return shown;
}

export const pageTexts = (path: string, source = readFileSync(path, 'utf8')): Shown[] =>
  shownIn(takePage, path, source);

export const messagesIn = (path: string, source = readFileSync(path, 'utf8')): Shown[] =>
  shownIn(takeMessages, path, source);

const sources = (patterns: readonly string[]): string[] =>
  globSync(
    patterns.map((pattern) => join(clone, pattern)),
    { exclude: (path) => /(^|\/)(node_modules|dist|generated|testing)$/.test(path) },
  )
    .filter((path) => !/\.test\.|testsuite\./.test(path))
    .toSorted();

/** The texts that the pages of the console show. */
export const consoleTexts = (): Shown[] =>
  sources(['plugins/operations/console/web/**/*.{ts,tsx}']).flatMap((path) => pageTexts(path));

/** The messages of errors and log lines of the product and of its SDK. */
export const messageTexts = (): Shown[] =>
  sources(['{kernel,plugins,cli}/**/*.ts', 'plugins/execution/scripts/sdk/*.mjs']).flatMap((path) => messagesIn(path));

/** What `svc explain` and `svc doctor` say. */
export const explanationTexts = (): Shown[] =>
  sources(['plugins/operations/run-views/explain/*.ts', 'plugins/integrations/providers/service/check.ts']).flatMap(
    (path) => pageTexts(path),
  );

/** What commands, routes, metrics and errors say about themselves. */
export const descriptionTexts = (): Shown[] => [
  ...sources(['cli/**/*.ts', 'plugins/*/*/cli/**/*.ts']).flatMap((path) => pageTexts(path)),
  ...sources(['{kernel,plugins}/**/*.ts'])
    .filter((path) => !path.includes('/cli/'))
    .flatMap((path) => shownIn(takeDescriptions, path, readFileSync(path, 'utf8'))),
];

/** `node test/readme/shown.ts` prints them all. */
if (import.meta.main)
  for (const { where, text } of process.argv.includes('--messages') ? messageTexts() : consoleTexts())
    process.stdout.write(`${where}\t${text}\n`);
