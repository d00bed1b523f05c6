import { type Job, stagesOf } from './document.ts';

/** A box of a job, px. */
export interface Box {
  id: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Arrow {
  from: string;
  to: string;
  /** Of an SVG path. */
  path: string;
}

export interface Layout {
  boxes: Map<string, Box>;
  arrows: Arrow[];
  width: number;
  height: number;
}

export const HEAD_PX = 36;
export const CELL_PX = 28;
const WIDTH = 192;
const GAP_X = 56;
const GAP_Y = 20;
const MARGIN = 24;

/**
 * Jobs in columns, each right of what it needs and near it in height. `heightOf` says how much a box holds: a matrix has a
 * line for each of its cells.
 */
export function layoutOf(jobs: readonly Job[], heightOf: (job: Job) => number): Layout {
  const boxes = new Map<string, Box>();
  let height = 0;
  const stages = stagesOf(jobs);
  stages.forEach((stage, column) => {
    const wanted = stage.map((job, index) => ({ job, middle: middleOf(job, boxes) ?? index * 1e6 }));
    let y = MARGIN;
    for (const { job, middle } of wanted.toSorted((a, b) => a.middle - b.middle)) {
      const tall = heightOf(job);
      const near = column === 0 ? y : Math.max(y, middle - tall / 2);
      boxes.set(job.id, { id: job.id, x: MARGIN + column * (WIDTH + GAP_X), y: near, width: WIDTH, height: tall });
      y = near + tall + GAP_Y;
    }
    height = Math.max(height, y - GAP_Y + MARGIN);
  });
  const width = MARGIN * 2 + stages.length * WIDTH + Math.max(0, stages.length - 1) * GAP_X;
  return { boxes, arrows: arrowsOf(jobs, boxes), width, height };
}

function middleOf({ needs }: Job, boxes: ReadonlyMap<string, Box>): number | undefined {
  const known = needs.flatMap((need) => boxes.get(need) ?? []);
  if (known.length === 0) return undefined;
  return known.reduce((sum, { y, height }) => sum + y + height / 2, 0) / known.length;
}

/** An arrow begins and ends at the head of a box, however many cells it has. */
function arrowsOf(jobs: readonly Job[], boxes: ReadonlyMap<string, Box>): Arrow[] {
  return jobs.flatMap((job) =>
    job.needs.flatMap((need) => {
      const [a, b] = [boxes.get(need), boxes.get(job.id)];
      if (!a || !b || b.x <= a.x) return [];
      const [x1, y1, x2, y2] = [a.x + a.width, a.y + HEAD_PX / 2, b.x, b.y + HEAD_PX / 2];
      const bend = Math.max(24, (x2 - x1) / 2);
      return [{ from: need, to: job.id, path: `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}` }];
    }),
  );
}
