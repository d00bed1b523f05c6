import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { clone } from '../../features/support/target.ts';
import { lineOf, PAGES, read, withoutExamples } from '../readme/pages.ts';
import { consoleTexts, descriptionTexts, explanationTexts, messageTexts, type Shown } from '../readme/shown.ts';

/** One sentence, or a heading or cell of a table, with the file and line that it begins at. */
type Sentence = Shown;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Where a new text begins: headings, items, quotes, cells of a table, blank lines. */
const BLOCK = /\n\s*\n|^#+ |^\s*(?:[-*>]|\d+\.) |\s*(?<!\\)\|\s*|^[-:| ]+$/gm;

/** Code with a full stop is no end of a sentence, but can begin one, as a link and the name svc can. */
const hideCode = (text: string): string =>
  text
    .replaceAll(/`[^`]*`/g, (code) => 'X'.padEnd(code.length, 'x'))
    .replaceAll(/\]\([^)\s]*\)|(?<=[\s(])\.{1,2}\/[\w./-]*/g, (target) => 'x'.repeat(target.length))
    .replaceAll(/\[[a-z]|(?<=[.!?]\)? )svc\b/g, (begin) => begin.toUpperCase());

/** Whether it is more than code or the name of a page. */
const isText = (text: string): boolean =>
  /[a-z]/i.test(text.replaceAll(/`[^`]*`|\[[^\]\s]*\]\([^)]*\)|\]\([^)]*\)/g, ''));

/** The sentences of a Markdown page. Examples are not prose. */
export function sentencesIn(page: string, markdown: string): Sentence[] {
  const prose = withoutExamples(markdown);
  const found: Sentence[] = [];
  const take = (from: number, to: number): void => {
    const block = prose.slice(from, to);
    for (const { segment, index } of segmenter.segment(hideCode(block).replaceAll('\n', ' '))) {
      const raw = block.slice(index, index + segment.length);
      const begin = from + index + (raw.length - raw.trimStart().length);
      if (isText(raw))
        found.push({ where: `${page}:${lineOf(prose, begin)}`, text: raw.replaceAll(/\s+/g, ' ').trim() });
    }
  };
  let from = 0;
  for (const { index, 0: border } of prose.matchAll(BLOCK)) {
    take(from, index);
    from = index + border.length;
  }
  take(from, prose.length);
  return found;
}

/** Each line of these files that has a text for people. */
function linesOf(pattern: string, line: RegExp): Sentence[] {
  return globSync(join(clone, pattern), { exclude: (path) => path.endsWith('node_modules') })
    .toSorted()
    .flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(line)].map(({ index, input, 1: text }) => ({
        where: `${relative(clone, path)}:${lineOf(input, index)}`,
        text: text!,
      })),
    );
}

const DESCRIPTION = /(?<=\n) *"(?:description|summary)": "((?:[^"\\]|\\.)*)"/g;
const TITLE = /^ *(?:Feature|Rule|Scenario(?: Outline)?): *(.+)/gm;

const split = ({ where, text }: Shown): Sentence[] =>
  [...segmenter.segment(hideCode(text))].map(({ segment, index }) => ({
    where,
    text: text.slice(index, index + segment.length).trim(),
  }));

/** All sentences that people read, each once for its place. */
export function sentences(): Sentence[] {
  const texts = [
    ...consoleTexts(),
    ...descriptionTexts(),
    ...messageTexts(),
    ...explanationTexts(),
    ...linesOf('plugins/*/*/schema/*.schema.json', DESCRIPTION),
    ...linesOf('plugins/*/*/plugin.json', DESCRIPTION),
    ...linesOf('connectors/*/manifest.json', DESCRIPTION),
    ...linesOf('features/**/*.feature', TITLE),
  ].flatMap(split);
  const all = [...PAGES.flatMap((page) => sentencesIn(page, read(page))), ...texts];
  return [...new Map(all.map((sentence) => [`${sentence.where}\t${sentence.text}`, sentence])).values()];
}

/** Numbers from 0 to 1 that are the same for a seed (mulberry32). */
function* randomNumbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    yield ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** This many of them at random, each at most once and equally likely. */
export function sample<T>(all: readonly T[], { seed, count }: { seed: number; count: number }): T[] {
  const left = [...all];
  const numbers = randomNumbers(seed);
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [drawn] = left.splice(Math.floor(numbers.next().value * left.length), 1);
    return drawn!;
  });
}

/** `node test/tools/sample-sentences.ts --seed 7 --count 200` prints a draw to read. */
if (import.meta.main) {
  const { values } = parseArgs({
    options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '200' } },
  });
  const drawn = sample(sentences(), { seed: Number(values.seed), count: Number(values.count) });
  for (const { where, text } of drawn) process.stdout.write(`${where}\t${text}\n`);
}
