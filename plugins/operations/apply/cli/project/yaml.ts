import type { Node, Pair, Scalar } from 'yaml';
import { ExactNumber, parseExact, pointerTo } from '../../../../../cli/contract.ts';

/** What is wrong in a file: `/on/0`, or `3:5` for a pointer that has no pointer. */
export class FileProblem extends Error {
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(message);
    this.pointer = pointer;
  }
}

const MAX_DEPTH = 64;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/**
 * Reads a YAML document into plain values. Numbers keep all of their digits. Aliases are rejected, because a short file with
 * them can describe a huge value. Throws `FileProblem`.
 */
export async function parseYaml(text: string): Promise<unknown> {
  const { isAlias, isMap, isScalar, isSeq, parseDocument } = await import('yaml');

  const convert = (node: unknown, pointer: string, depth: number): unknown => {
    if (depth > MAX_DEPTH) throw new FileProblem(pointer, `nests deeper than ${MAX_DEPTH} levels`);
    if (node === null || node === undefined) return null;
    if (isAlias(node)) throw new FileProblem(pointer, 'is an alias; write the value itself');
    if (isScalar(node)) return scalarOf(node);
    if (isSeq(node)) return node.items.map((item, index) => convert(item, `${pointer}/${index}`, depth + 1));
    if (isMap(node)) return mapOf(node.items as Pair<Node>[], pointer, depth);
    throw new FileProblem(pointer, 'is not a YAML value');
  };

  const mapOf = (pairs: readonly Pair<Node>[], pointer: string, depth: number): Record<string, unknown> => {
    const members = new Map<string, unknown>();
    for (const { key, value } of pairs) {
      if (!isScalar(key)) throw new FileProblem(pointer, 'has a key that is not text');
      const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
      const at = pointerTo(pointer, name);
      if (members.has(name)) throw new FileProblem(at, 'is set twice');
      members.set(name, convert(value, at, depth + 1));
    }
    return Object.fromEntries(members);
  };

  // The parser would compare each key with all others, so repeated keys are found above.
  const parse = () => parseDocument(text, { uniqueKeys: false, merge: false, logLevel: 'silent', version: '1.2' });
  let document: ReturnType<typeof parse>;
  try {
    document = parse();
  } catch (error) {
    if (error instanceof RangeError) throw new FileProblem('', `nests deeper than ${MAX_DEPTH} levels`);
    throw error;
  }
  const [error] = document.errors;
  if (error) {
    const { line = 1, col = 1 } = error.linePos?.[0] ?? {};
    throw new FileProblem(
      `${line}:${col}`,
      (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, ''),
    );
  }
  return convert(document.contents, '', 0);
}

function scalarOf({ value, source = '' }: Scalar): unknown {
  if (typeof value === 'bigint') return parseExact(String(value));
  if (typeof value !== 'number' || !JSON_NUMBER.test(source)) return value;
  return parseExact(source);
}

/** Writes a value as YAML. Numbers keep all of their digits, and texts of several lines stay readable. */
export async function writeYaml(value: unknown): Promise<string> {
  const { Document } = await import('yaml');
  const exact = {
    tag: 'tag:yaml.org,2002:float',
    default: true as const,
    identify: (one: unknown) => one instanceof ExactNumber,
    stringify: (node: Scalar) => (node.value as ExactNumber).text,
    resolve: (text: string) => text,
    test: /^$a/,
  };
  const document = new Document(value, {
    version: '1.2',
    customTags: (tags) => [exact, ...tags],
    aliasDuplicateObjects: false,
  });
  return document.toString({ lineWidth: 0 });
}
