// Reads a script of JavaScript or TypeScript from standard input, runs nothing of it, and prints `{problems}`, or `{tree}` as
// tree.ts describes it. A process of its own, because a hostile text may cost time, memory or the stack. Argument: ending.
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { compileFunction, SourceTextModule } from 'node:vm';
import { parse } from 'acorn';

/** Deeper texts, and larger ones, are not looked at. */
const MAX_DEPTH = 400;
const MAX_NODES = 200_000;

const [ending = ''] = process.argv.slice(2);
const TYPED = new Set(['.ts', '.mts', '.cts']);
const ONLY_MODULES = new Set(['.mjs', '.mts']);
const NO_MODULES = new Set(['.cjs', '.cts']);

/** The place of an error of Node: its stack begins with the line's number, some lines, and a caret below the last. */
function placeOf({ stack = '' }) {
  const [, line = '1'] = /^.*:(\d+)\n/.exec(stack) ?? [];
  const [, blanks = ''] = /^( *)\^/m.exec(stack) ?? [];
  return { line: Number(line), column: blanks.length + 1 };
}

function withoutTypes(source) {
  try {
    return { source: stripTypeScriptTypes(source) };
  } catch (error) {
    if (!String(error.code).endsWith('_TYPESCRIPT_SYNTAX')) throw error;
    return { problems: [{ ...placeOf(error), message: error.message }] };
  }
}

/** The ways in which Node would read it, the first that works counts. */
function ways(source) {
  if (ONLY_MODULES.has(ending)) return ['module'];
  if (NO_MODULES.has(ending)) return ['commonjs'];
  return /^\s*(import|export)\b/m.test(source) ? ['module', 'commonjs'] : ['commonjs', 'module'];
}

function parsed(source) {
  const faults = [];
  for (const sourceType of ways(source))
    try {
      return { program: parse(source, { ecmaVersion: 'latest', sourceType, allowHashBang: true, locations: true }) };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      faults.push(error);
    }
  // A top-level await is what makes a script a module, so its other faults are told as those of one.
  const fault = /\bawait\b/.test(source) ? faults.at(-1) : faults[0];
  const message = fault.message.replace(/ \(\d+:\d+\)$/, '');
  return { problems: [{ line: fault.loc.line, column: fault.loc.column + 1, message }] };
}

/** Whether Node itself takes it: its parser may know a newer language. Compiling runs nothing. */
function nodeTakes(source) {
  const text = source.replace(/^#!.*/, '');
  return ways(source).some((way) => {
    try {
      if (way === 'module') void new SourceTextModule(text);
      else compileFunction(text, ['exports', 'require', 'module', '__filename', '__dirname']);
      return true;
    } catch {
      return false;
    }
  });
}

let nodes = 0;

/** One node of the tree: what it is, where, and what it has. */
function node(k, from, rest) {
  if (++nodes > MAX_NODES) throw new RangeError('too many nodes');
  return { k, l: from.loc.start.line, c: from.loc.start.column + 1, ...rest };
}

/** `a.b.c` of plain names; undefined for anything else. */
function dotted(from) {
  if (from.type === 'Identifier') return from.name;
  if (from.type === 'ChainExpression') return dotted(from.expression);
  if (from.type === 'MetaProperty') return `${from.meta.name}.${from.property.name}`;
  if (from.type !== 'MemberExpression' || from.computed || from.property.type !== 'Identifier') return undefined;
  const of = dotted(from.object);
  return of === undefined ? undefined : `${of}.${from.property.name}`;
}

/** The names that a pattern sets. */
function names(pattern) {
  if (!pattern) return [];
  if (pattern.type === 'Identifier') return [pattern.name];
  if (pattern.type === 'ObjectPattern') return pattern.properties.flatMap((one) => names(one.value ?? one.argument));
  if (pattern.type === 'ArrayPattern') return pattern.elements.flatMap(names);
  if (pattern.type === 'AssignmentPattern') return names(pattern.left);
  return pattern.type === 'RestElement' ? names(pattern.argument) : [];
}

const children = (from) =>
  Object.entries(from)
    .filter(([key]) => key !== 'loc')
    .flatMap(([, value]) => value)
    .filter((value) => typeof value?.type === 'string');

const many = (list, depth) => list.filter((one) => one).map((one) => treeOf(one, depth + 1));

function functionNode(from, depth, name = from.id?.name) {
  const { params, body } = from;
  const inner =
    body.type === 'BlockStatement' ? many(body.body, depth) : [node('return', body, { a: many([body], depth) })];
  const rest = params.at(-1)?.type === 'RestElement';
  const declared = params.flatMap(names);
  return node('function', from, {
    v: name,
    p: declared,
    rest,
    a: [...many(params.filter(hasDefault), depth), ...inner],
  });
}

const hasDefault = ({ type }) => type !== 'Identifier' && type !== 'RestElement';

/** `require('x')` and `await import('x')`. */
function loaded(from) {
  if (from?.type === 'AwaitExpression') return loaded(from.argument);
  if (from?.type === 'ImportExpression') return from.source.value;
  return from?.type === 'CallExpression' && from.callee.name === 'require' ? from.arguments[0]?.value : undefined;
}

function importNode(from, module, pattern) {
  const locals = {};
  if (pattern.type === 'Identifier') locals[pattern.name] = '';
  if (pattern.type === 'ObjectPattern')
    for (const { key, value } of pattern.properties) for (const name of names(value)) locals[name] = key?.name ?? '';
  return node('import', from, { v: module, m: locals });
}

function setNode(from, pattern, value, depth, declares) {
  const module = loaded(value);
  if (typeof module === 'string') return importNode(from, module, pattern);
  const [name, ...others] = names(pattern);
  const given =
    /Function/.test(value?.type ?? '') && others.length === 0
      ? [functionNode(value, depth + 1, value.id?.name ?? name)]
      : many([value], depth);
  const left = pattern.type === 'Identifier' ? [] : many([pattern], depth);
  return node('set', from, { v: names(pattern), d: declares, bare: value ? undefined : true, a: [...left, ...given] });
}

/** An object by its members if each has a name of its own; otherwise only its parts. */
function objectNode(from, depth) {
  const members = from.properties.map(({ type, computed, kind, key, value }) => [
    type === 'Property' && !computed && kind === 'init' ? String(key.name ?? key.value) : '__proto__',
    value,
  ]);
  const named = new Set(members.map(([name]) => name));
  if (named.has('__proto__') || named.size < members.length)
    return node('all', from, { a: many(from.properties, depth) });
  return node('all', from, { n: Object.fromEntries(members.map(([name, value]) => [name, treeOf(value, depth + 2)])) });
}

const call = (from, depth, callee, given) =>
  node('call', from, {
    f: dotted(callee),
    a: many(given, depth),
    o: dotted(callee) === undefined ? treeOf(callee, depth + 1) : undefined,
  });

const MAKERS = {
  Literal: (from) => node('text', from, { v: typeof from.value === 'string' ? from.value : undefined }),
  Identifier: (from) => node('name', from, { v: from.name }),
  MemberExpression: (from, depth) =>
    dotted(from) === undefined
      ? node('all', from, { a: many([from.object, from.computed && from.property], depth) })
      : node('name', from, { v: dotted(from) }),
  MetaProperty: (from) => node('name', from, { v: dotted(from) }),
  CallExpression: (from, depth) => call(from, depth, from.callee, from.arguments),
  NewExpression: (from, depth) => ({ ...call(from, depth, from.callee, from.arguments), new: true }),
  ArrayExpression: (from, depth) => node('list', from, { a: many(from.elements, depth) }),
  SpreadElement: (from, depth) => node('spread', from, { a: many([from.argument], depth) }),
  ObjectExpression: (from, depth) => objectNode(from, depth),
  Property: (from, depth) => node('all', from, { a: many([from.computed && from.key, from.value], depth) }),
  TemplateLiteral: (from, depth) =>
    from.expressions.length === 0
      ? node('text', from, { v: from.quasis[0].value.cooked ?? undefined })
      : node('all', from, { a: many(from.expressions, depth) }),
  FunctionDeclaration: (from, depth) => functionNode(from, depth),
  FunctionExpression: (from, depth) => functionNode(from, depth),
  ArrowFunctionExpression: (from, depth) => functionNode(from, depth),
  ReturnStatement: (from, depth) => node('return', from, { a: many([from.argument], depth) }),
  VariableDeclarator: (from, depth) => setNode(from, from.id, from.init, depth, true),
  AssignmentExpression: (from, depth) =>
    from.operator === '='
      ? setNode(from, from.left, from.right, depth, false)
      : node('set', from, { v: names(from.left), d: false, a: many([from.left, from.right], depth) }),
  UpdateExpression: (from, depth) =>
    node('set', from, { v: names(from.argument), d: false, a: many([from.argument], depth) }),
  IfStatement: (from, depth) => branch(from, depth, from.test, [from.consequent, from.alternate]),
  ConditionalExpression: (from, depth) => branch(from, depth, from.test, [from.consequent, from.alternate]),
  LogicalExpression: (from, depth) => branch(from, depth, from.left, [from.right]),
  WhileStatement: (from, depth) => branch(from, depth, from.test, [from.body]),
  DoWhileStatement: (from, depth) => branch(from, depth, from.test, [from.body]),
  SwitchStatement: (from, depth) => branch(from, depth, from.discriminant, from.cases),
  ForStatement: (from, depth) =>
    node('all', from, {
      a: [...many([from.init], depth), branch(from, depth + 1, from.test, [from.body, from.update])],
    }),
  ForInStatement: (from, depth) => each(from, depth),
  ForOfStatement: (from, depth) => each(from, depth),
  ImportExpression: (from, depth) => node('call', from, { f: 'import', a: many([from.source], depth) }),
  ExportAllDeclaration: (from, depth) => node('call', from, { f: 'import', a: many([from.source], depth) }),
  ExportNamedDeclaration: (from, depth) =>
    from.source
      ? node('call', from, { f: 'import', a: many([from.source], depth) })
      : node('all', from, { a: many(children(from), depth) }),
  ImportDeclaration: (from) =>
    node('import', from, {
      v: from.source.value,
      m: Object.fromEntries(from.specifiers.map(({ local, imported }) => [local.name, imported?.name ?? ''])),
    }),
};

function branch(from, depth, test, bodies) {
  return node('branch', from, { t: test ? treeOf(test, depth + 1) : undefined, a: many(bodies, depth) });
}

function each(from, depth) {
  const pattern = from.left.type === 'VariableDeclaration' ? from.left.declarations[0].id : from.left;
  const declares = from.left.type === 'VariableDeclaration';
  const set = node('set', from.left, { v: names(pattern), d: declares, a: many([from.right], depth) });
  return node('all', from, { a: [set, branch(from, depth + 1, from.right, [from.body])] });
}

function treeOf(from, depth) {
  if (depth > MAX_DEPTH) throw new RangeError('too deep');
  const make = MAKERS[from.type];
  return make ? make(from, depth) : node('all', from, { a: many(children(from), depth) });
}

/** Undefined when only this reader fails: nothing is said of what was not understood. */
function look(source) {
  const plain = TYPED.has(ending) ? withoutTypes(source) : { source };
  if (plain.problems) return plain;
  const { problems, program } = parsed(plain.source);
  if (problems) return nodeTakes(plain.source) ? {} : { problems };
  try {
    return { tree: treeOf(program, 0) };
  } catch (error) {
    if (error instanceof RangeError) return {};
    throw error;
  }
}

process.stdout.write(JSON.stringify(look(readFileSync(0, 'utf8'))));
