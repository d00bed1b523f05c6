import { INSTALL, isNeed } from '../kit/needs.ts';

/** Why something did not run. */
export interface Lack {
  /** Names of `INSTALL`; `-` for something else. */
  lacks: string;
  why: string;
}

export interface LeftOut extends Lack {
  /** A part of the gate. */
  part: string;
}

const REASON = /^needs ([a-z0-9 -]+(?:, [a-z0-9 -]+)*)(?:: (.*))?$/s;
const LINE = /^(?:\s*# )?left out: (.*)$/;
const IN_BRACKETS = /^(.*) \((needs .*)\)$/;
/** Characters of a column: what a machine says of its faults can be long. */
const MAX_WIDTH = 90;

/** Why a test was skipped, when the machine lacks something for it; undefined: it is skipped for another reason. */
export function lackOf(skip: string): Lack | undefined {
  const [, lacks, why] = REASON.exec(skip) ?? [];
  return lacks === undefined ? undefined : { lacks, why: why ?? `there is no ${lacks}` };
}

/** What lines of a program say: `left out: <what> (needs <name>: <why>)`, or another reason without a name. */
export function lacksOf(text: string): Lack[] {
  return text.split('\n').flatMap((line) => {
    const [, said] = LINE.exec(line) ?? [];
    if (said === undefined) return [];
    const [, what, reason = ''] = IN_BRACKETS.exec(said) ?? [];
    const lack = lackOf(reason);
    return [lack ? { ...lack, why: `${what}: ${lack.why}` } : { lacks: '-', why: said }];
  });
}

/** One line for each part and reason, with a head; empty when nothing was left out. */
export function table(all: readonly LeftOut[]): string {
  if (all.length === 0) return '';
  const groups = Map.groupBy(all, ({ part, lacks, why }) => [lacks, part, why].join('\0'));
  const sorted = [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
  const rows = sorted.map((group) => {
    const { part, lacks, why } = group[0]!;
    return [lacks, String(group.length), part, why, installOf(lacks)];
  });
  const lines = [['lacks', 'left out', 'of', 'because', 'install'], ...rows];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((cells) => shown(cells[column]!).length)));
  const text = lines.map((cells) => cells.map((cell, column) => shown(cell).padEnd(widths[column]!)).join('  '));
  return `left out: ${all.length} on this machine\n${text.map((line) => `  ${line.trimEnd()}\n`).join('')}`;
}

const shown = (cell: string): string => {
  const line = cell.replace(/\s+/g, ' ').trim();
  return line.length > MAX_WIDTH ? `${line.slice(0, MAX_WIDTH - 1)}…` : line;
};

const installOf = (lacks: string): string =>
  [...new Set(lacks.split(', ').map((name) => (isNeed(name) ? INSTALL[name] : '-')))].join(' ');
