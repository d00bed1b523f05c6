import { arch, cpus, platform, totalmem } from 'node:os';
import { isMet, ratioOf, type Row } from './figure.ts';

export interface Report {
  at: string;
  quick: boolean;
  machine: { os: string; arch: string; cores: number; cpu: string; memory_gib: number; node: string };
  rows: ReportRow[];
}

export interface ReportRow {
  name: string;
  figure: string;
  unit: string;
  ours: number;
  floor: number | null;
  floor_is: string | null;
  ratio: number | null;
  goal: string | null;
  met: boolean | null;
  done: number;
  note?: string;
}

const rounded = (value: number) => Number(value.toPrecision(4));

function goalText({ goal, unit }: Row): string | null {
  if (!goal) return null;
  const sign = goal.is === 'at most' ? '≤' : '≥';
  return `${sign} ${goal.bound} ${goal.of === 'ratio' ? '×' : unit}`;
}

export function reportRow(name: string, row: Row): ReportRow {
  const ratio = ratioOf(row);
  return {
    name,
    figure: row.figure,
    unit: row.unit,
    ours: rounded(row.ours),
    floor: row.floor ? rounded(row.floor.value) : null,
    floor_is: row.floor?.is ?? null,
    ratio: ratio === undefined ? null : rounded(ratio),
    goal: goalText(row),
    met: isMet(row) ?? null,
    done: row.done,
    ...(row.note === undefined ? {} : { note: row.note }),
  };
}

export const report = (rows: ReportRow[], quick: boolean): Report => ({
  at: new Date().toISOString(),
  quick,
  machine: {
    os: platform(),
    arch: arch(),
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? '',
    memory_gib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  },
  rows,
});

const HEADS = ['figure', 'ours', 'floor', 'ratio', 'goal', 'met', 'floor is'] as const;
/** The columns that hold numbers. */
const RIGHT = new Set([1, 2, 3]);

/** How to read the table, for whoever sees it for the first time. */
const LEGEND = `ours      measured at the service as users have it: servers and agents as processes, synchronous=FULL
floor     what this machine takes for the least that the work needs, measured in the same run; "floor is" says what
ratio     ours / floor. A busy or slow machine changes both, so compare ratios and not times
goal      what ours (with a unit) or the ratio (with ×) is to reach; without one, the line is there to be seen`;

/** The table for people: a heading for each figure, and how to read it. `summaries`: of figures, by name. */
export function tableOf(rows: readonly ReportRow[], summaries: ReadonlyMap<string, string>): string {
  const cells = rows.map(cellsOf);
  const widths = HEADS.map((head, column) => Math.max(head.length, ...cells.map((line) => line[column]!.length)));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) => (RIGHT.has(column) ? text.padStart(widths[column]!) : text.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd();
  const lines = [line(HEADS), line(widths.map((width) => '─'.repeat(width)))];
  for (const [index, row] of rows.entries()) {
    if (rows[index - 1]?.name !== row.name) lines.push('', `${row.name}: ${summaries.get(row.name) ?? ''}`);
    lines.push(line(cells[index]!));
  }
  return [...lines, '', LEGEND].join('\n');
}

const cellsOf = (row: ReportRow): string[] => [
  row.figure,
  `${shown(row.ours)} ${row.unit}`.trimEnd(),
  row.floor === null ? '–' : `${shown(row.floor)} ${row.unit}`,
  row.ratio === null ? '–' : `${row.ratio.toFixed(2)} ×`,
  row.goal ?? '–',
  row.met === null ? '–' : row.met ? 'yes' : 'NO',
  [row.floor_is, row.note].filter(Boolean).join('; '),
];

const shown = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
