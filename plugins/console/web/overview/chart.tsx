import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Summary } from '../../../../cli/generated/api.ts';

const SHOWN = ['succeeded', 'failed', 'cancelled'] as const;
const COLOURS = { succeeded: '--good', failed: '--bad', cancelled: '--quiet' };
const HEIGHT_PX = 190;
const BARS = uPlot.paths.bars!({ size: [0.8, 36] });

/** How many runs ended, over time and by status. */
export default function Chart({ series }: { series: Summary['series'] }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current!;
    const plot = new uPlot(optionsFor(element), dataOf(series), element);
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [series]);
  const total = (name: (typeof SHOWN)[number]) => series.reduce((sum, bucket) => sum + bucket[name], 0);
  const words = SHOWN.map((name) => `${total(name)} ${name}`).join(', ');
  return <div ref={place} className="plot" role="img" aria-label={`Runs that ended: ${words}`} />;
}

/** Bars that stand upon each other: each is drawn from the ground, the highest first. */
function dataOf(series: Summary['series']): uPlot.AlignedData {
  const sums = series.map((bucket) => {
    let sum = 0;
    return SHOWN.map((name) => (sum += bucket[name]));
  });
  const heights = SHOWN.map((_, index) => sums.map((one) => one[index]!));
  return [series.map(({ at }) => Date.parse(at) / 1000), ...heights.reverse()];
}

/** Colours as the page has them now. */
function colour(element: Element, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function optionsFor(element: HTMLElement): uPlot.Options {
  const [quiet, line] = [colour(element, '--quiet'), colour(element, '--line')];
  const axis: uPlot.Axis = { stroke: quiet, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    legend: { live: false },
    cursor: { drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max)] } },
    axes: [
      axis,
      { ...axis, size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10_000, 100_000, 1_000_000] },
    ],
    series: [
      {},
      ...SHOWN.toReversed().map((name) => {
        const fill = colour(element, COLOURS[name]);
        return { label: name, fill, stroke: fill, width: 0, points: { show: false }, paths: BARS };
      }),
    ],
  };
}
