import type { Run } from '../../../engine/runs/contract.ts';

/** The columns of a table of runs. */
const COLUMNS: Readonly<Record<string, (run: Run) => string | undefined>> = {
  run_id: (run) => run.run_id,
  status: (run) => run.status,
  kind: (run) => run.kind,
  workflow: (run) => run.workflow,
  subject: (run) => run.subject,
  tags: (run) => run.tags.join(' '),
  trigger: (run) => run.trigger.type,
  created_at: (run) => run.created_at,
  started_at: (run) => run.started_at,
  finished_at: (run) => run.finished_at,
  parent: (run) => run.parent,
  rerun_of: (run) => run.rerun_of,
  error_code: (run) => run.error?.code,
  error_message: (run) => run.error?.message,
  reason: (run) => run.reason,
  output: (run) => (run.output === undefined ? undefined : JSON.stringify(run.output)),
};

/** A spreadsheet reads a cell that begins so as a formula, which may send what is in other cells elsewhere. */
const FORMULA = /^\s*[=+\-@]/;

/** Writes one cell. A line break becomes a space, so that every run is one line. */
export function formatCell(text = ''): string {
  const line = text.replaceAll(/[\r\n\t]+/g, ' ');
  const safe = FORMULA.test(line) ? `'${line}` : line;
  return /[",]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const formatLine = (cells: readonly (string | undefined)[]): string => `${cells.map(formatCell).join(',')}\r\n`;

export const csvHeader = (): string => formatLine(Object.keys(COLUMNS));

export const csvLine = (run: Run): string => formatLine(Object.values(COLUMNS).map((cell) => cell(run)));
