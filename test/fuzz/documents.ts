const KIB = 1024;

const times = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length));
const lines = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');
const jobs = (text: string): string => `vars: { x: 1 }\njobs:\n${text}`;
const nodesOf = (nodes: unknown): object => ({ version: 'svc-graph/v1', nodes });

/** YAML that costs a parser or a check much for each of its bytes, in a given size. */
export const PIPELINES: Readonly<Record<string, (bytes: number) => string>> = {
  tags: (bytes) => `a: ${times('!!str ', bytes)}`,
  'brackets that nest': (bytes) => times('[', bytes),
  'maps that nest': (bytes) => times('{a: ', bytes),
  'lists that nest': (bytes) => times('- ', bytes),
  'keys that nest': (bytes) => times('? ', bytes),
  // So few that they are read without a worker thread.
  'few keys that nest': () => times('? ', 2 * KIB),
  'escapes that do not exist': (bytes) => `a: "${times('\\q', bytes)}"`,
  'commas without values': (bytes) => `[${times(',', bytes)}]`,
  'maps on one line': (bytes) => times('a: b: ', bytes),
  anchors: (bytes) => `y: [${Array.from({ length: bytes / 8 }, (_, n) => `&a${n} 1`).join(',')}]`,
  aliases: (bytes) => `x: &a [1]\ny: [${times('*a,', bytes)}]`,
  'aliases of aliases': (bytes) =>
    `a0: &a0 [x]\n${lines(bytes / 80, (n) => `a${n + 1}: &a${n + 1} [${times(`*a${n}, `, 60)}]`)}`,
  merges: (bytes) => `b: &b {x: 1}\nc:\n${times(' <<: *b\n', bytes)}`,
  keys: (bytes) => lines(bytes / 9, (n) => `k${n}: 1`),
  comments: (bytes) => times('# x\n', bytes),
  'long numbers': (bytes) => `a: [${times('12345678901234567890,', bytes)}]`,
  'a pipeline of many jobs': (bytes) =>
    jobs(
      lines(
        Math.min(bytes / 90, 1000),
        (n) => `  j${n}: { env: { A: "\${{ vars.x == ${n} }}" }, steps: [{ id: b, run: make }] }`,
      ),
    ),
  'a pipeline of many steps': (bytes) => {
    const steps = Array.from({ length: bytes / 50 / 40 }, (_, m) => `{ run: "make ${m} \${{ vars.x }}" }`).join(', ');
    return jobs(lines(50, (n) => `  j${n}: { steps: [${steps}] }`));
  },
  'needs of all before': (bytes) => {
    const before = (n: number) => Array.from({ length: n }, (_, one) => `j${one}`).join(',');
    return jobs(lines(Math.sqrt(bytes / 3), (n) => `  j${n}: { needs: [${before(n)}], steps: [{ run: x }] }`));
  },
  'a matrix': (bytes) => jobs(`  a: { strategy: { matrix: { x: [${times('1,', bytes)}] } }, steps: [{ run: x }] }`),
  // Small enough to be read without a worker thread, except for its expressions.
  'a few long expressions': () =>
    jobs(lines(7, (n) => `  j${n}: { if: "${longExpression(n)} == 1", steps: [{ run: make }] }`)),
  'a long program with holes': (bytes) => jobs(`  a: { steps: [{ run: "${times('${{ vars.x }}', bytes)}" }] }`),
};

/** About as long as an expression may be. One of them is compiled in an instant; all that fit into a small document are not. */
const longExpression = (n: number) => `${n}${'+1'.repeat(4080)}`;

/** The same of graphs. */
export const GRAPHS: Readonly<Record<string, (bytes: number) => object>> = {
  // Small enough to be checked without a worker thread, except for its expressions.
  'a few long expressions': () =>
    nodesOf([
      {
        id: 'a',
        type: 'set',
        config: { values: Array.from({ length: 7 }, (_, n) => ({ $expr: `${longExpression(n)}+input.a` })) },
      },
    ]),
  'expressions in one node': (bytes) =>
    nodesOf([
      {
        id: 'a',
        type: 'set',
        config: { values: Array.from({ length: bytes / 28 }, (_, n) => ({ $expr: `input.a${n}` })) },
      },
    ]),
  'expressions that do not compile': (bytes) =>
    nodesOf([
      {
        id: 'a',
        type: 'set',
        config: { values: Array.from({ length: bytes / 22 }, (_, n) => ({ $expr: `b${n} +` })) },
      },
    ]),
  'holes in one text': (bytes) =>
    nodesOf([{ id: 'a', type: 'http', config: { url: 'https://example.com', body: times('{{ input.x }}', bytes) } }]),
  conditions: (bytes) =>
    nodesOf(
      Array.from({ length: Math.min(bytes / 60, 5000) }, (_, n) => ({
        id: `n${n}`,
        type: 'condition',
        config: { if: `input.a == ${n}` },
      })),
    ),
};

/** Values that cost much to read, to keep or to write again. */
export const VALUES: Readonly<Record<string, (bytes: number) => string>> = {
  'members that are numbers': (bytes) => `{${Array.from({ length: bytes / 10 }, (_, n) => `"${n}":1`).join()}}`,
  'lists that nest': (bytes) => times('[', bytes),
  'empty lists': (bytes) => `[${times('[],', bytes)}0]`,
};

/** So many members a document may have, with those around it. */
const MEMBERS = 49_000;
const members = (bytes: number, member: (n: number) => string): string =>
  Array.from({ length: Math.min(bytes / 10, MEMBERS) }, (_, n) => member(n)).join();

/** Values that JSON.parse would change, so that they are read exactly. All of them are accepted. */
export const EXACT_VALUES: Readonly<Record<string, (bytes: number) => string>> = {
  'long decimals': (bytes) => `[${times('0.1234567890123456789,', bytes)}0]`,
  'decimals of 17 digits': (bytes) => `[${times('0.12345678901234567,', bytes)}0]`,
  'decimals that end in 0': (bytes) => `[${times('1.0,', bytes)}0]`,
  'decimals that differ and end in 0': (bytes) =>
    `[${Array.from({ length: bytes / 9 }, (_, n) => `${n + 100_000}.0`).join()}]`,
  'zeros below zero': (bytes) => `[${times('-0,', bytes)}0]`,
  exponents: (bytes) => `[${times('1e5,', bytes)}0]`,
  'numbers beyond doubles': (bytes) => `[${times('1e400,', bytes)}0]`,
  'numbers of 20 digits': (bytes) => `[${times('12345678901234567890,', bytes)}0]`,
  'pairs of decimals': (bytes) => `[${times('[0.10,51.5],', bytes)}0]`,
  'decimals in lists of their own': (bytes) => `[${times('[1.0],', bytes)}0]`,
  'decimals among texts': (bytes) => `[${times('1.0,"",', bytes)}0]`,
  'members that end in 0': (bytes) => `{${members(bytes, (n) => `"k${n}":1.0`)}}`,
  'objects with decimals': (bytes) => `[${members(bytes, () => '{"a":1.0}')}]`,
  'names that are numbers': (bytes) => `{${members(bytes, (n) => `"${MEMBERS - n}":1`)}}`,
};

/** Members of a forge's delivery that cost much to read, to sort or to write again. */
export const DELIVERED: Readonly<Record<string, (bytes: number) => string>> = {
  numbers: (bytes) => `"x":[${times('1234567,', Math.min(bytes, 8_000_000))}0]`,
  'numbers of 20 digits': (bytes) => `"x":[${times('12345678901234567890,', bytes)}0]`,
  'decimals that differ and end in 0': () =>
    `"x":[${Array.from({ length: 640_000 }, (_, n) => `${n + 100_000}.0`).join()}]`,
  'short texts that differ': () =>
    `"x":[${Array.from({ length: 800_000 }, (_, n) => `"${((n * 7919) % 1_000_000) + 100_000}"`).join()}]`,
  'surrogate pairs': (bytes) => `"x":[${times(String.raw`"\ud83d\ude00",`, Math.min(bytes, 7_500_000))}0]`,
  'line feeds': (bytes) => `"x":"${times(String.raw`\n`, bytes)}"`,
  'long paths': () =>
    `"commits":[{"added":[${Array.from({ length: 49_000 }, (_, n) => `"${'p'.repeat(120)}/${(n * 7919) % 49_000}"`).join()}]}]`,
};

/** Nearly the largest delivery of a forge. */
export const LARGEST_DELIVERY = 8180 * KIB;

/** As large as the event loop reads itself, and larger. */
export const SIZES = [6 * KIB, 60 * KIB] as const;

/** Nearly the largest document that there may be. */
export const LARGEST = 1000 * KIB;

/** Nearly the largest event. */
export const LARGEST_EVENT = 2040 * KIB;
