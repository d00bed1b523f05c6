import type { Summary } from '../../../../../cli/generated/api.ts';
import { completed } from './figures.ts';

const HEIGHT_PX = 176;
const TOP_PX = 12;
const SHOWN = ['succeeded', 'failed', 'cancelled'] as const;

type Bucket = Summary['series'][number];

/** A top of the scale that one can halve: 4, 10, 20, 100. */
function scaleOf(most: number): number {
  if (most <= 4) return Math.max(2, most + (most % 2));
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 5, 10].map((times) => times * power).find((top) => top >= most)!;
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** Below the middle of its bar; one near a border grows away from it, because a border clips. */
const tickAt = (middle: number) =>
  middle < 6
    ? { x: 0, textAnchor: 'start' as const }
    : middle > 94
      ? { x: '100%', textAnchor: 'end' as const }
      : { x: `${middle}%`, textAnchor: 'middle' as const };

/** How many runs ended, over time and by status, as bars that stand upon each other. */
export function Bars({ series, days }: { series: readonly Bucket[]; days: boolean }) {
  const scale = scaleOf(Math.max(...series.map(completed)));
  const height = (count: number) => (count / scale) * (HEIGHT_PX - TOP_PX);
  const width = 100 / series.length;
  const total = (name: (typeof SHOWN)[number]) => series.reduce((sum, bucket) => sum + bucket[name], 0);
  const words = SHOWN.map((name) => `${total(name)} ${name}`).join(', ');
  const every = Math.ceil(series.length / 6);
  return (
    <div className="bars">
      <div className="bars-scale" aria-hidden>
        {[scale, scale / 2, 0].map((count) => (
          <span key={count}>{count}</span>
        ))}
      </div>
      <svg className="bars-plot" height={HEIGHT_PX} role="img" aria-label={`Runs that ended: ${words}`}>
        {[0, scale / 2, scale].map((count) => (
          <line
            key={count}
            className="rule"
            x1="0"
            x2="100%"
            y1={HEIGHT_PX - height(count)}
            y2={HEIGHT_PX - height(count)}
          />
        ))}
        {series.map((bucket, index) => (
          <Bar key={bucket.at} bucket={bucket} x={index * width} width={width} height={height} />
        ))}
      </svg>
      <svg className="bars-times" height={16} aria-hidden="true">
        {series.map(({ at }, index) =>
          index % every === 0 ? (
            <text key={at} {...tickAt((index + 0.5) * width)} y="12">
              {(days ? DAY : CLOCK).format(new Date(at))}
            </text>
          ) : null,
        )}
      </svg>
    </div>
  );
}

interface BarProps {
  bucket: Bucket;
  x: number;
  width: number;
  height(count: number): number;
}

function Bar({ bucket, x, width, height }: BarProps) {
  let ground = HEIGHT_PX;
  const what = SHOWN.filter((name) => bucket[name] > 0).map((name) => `${bucket[name]} ${name}`);
  return (
    <g>
      <title>{`${CLOCK.format(new Date(bucket.at))}: ${what.join(', ') || 'no runs ended'}`}</title>
      <rect className="bars-catch" x={`${x}%`} width={`${width}%`} y="0" height={HEIGHT_PX} />
      {SHOWN.map((name) => {
        if (bucket[name] === 0) return null;
        const tall = Math.max(3, height(bucket[name]));
        ground -= tall;
        return (
          <rect
            key={name}
            className={`fill ${name}`}
            x={`${x + width * 0.18}%`}
            width={`${width * 0.64}%`}
            y={ground}
            height={Math.max(2, tall - 1.5)}
            rx="2"
          />
        );
      })}
    </g>
  );
}

export const Legend = ({ series }: { series: readonly Bucket[] }) => (
  <div className="legend">
    {SHOWN.map((name) => {
      const total = series.reduce((sum, bucket) => sum + bucket[name], 0);
      if (total === 0 && name === 'cancelled') return null;
      return (
        <span key={name}>
          <svg viewBox="0 0 8 8" aria-hidden="true">
            <rect className={`fill ${name}`} width="8" height="8" rx="2" />
          </svg>
          {name.charAt(0).toUpperCase() + name.slice(1)} {total.toLocaleString('en')}
        </span>
      );
    })}
  </div>
);

/** A line of values without a scale. */
export function Spark({ values, state }: { values: readonly number[]; state?: string }) {
  if (values.length < 2) return <svg className="spark" aria-hidden="true" />;
  const most = Math.max(...values, 1e-9);
  const points = values.map((value, index) => `${(index / (values.length - 1)) * 100},${26 - (value / most) * 22}`);
  return (
    <svg className={`spark ${state ?? ''}`} viewBox="0 0 100 28" preserveAspectRatio="none" aria-hidden="true">
      <path className="spark-ground" d={`M0,28 L${points.join(' L')} L100,28 Z`} />
      <path className="spark-line" d={`M${points.join(' L')}`} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

/** Twelve small bars. */
export function Histogram({ values }: { values: readonly number[] }) {
  const most = Math.max(...values);
  return (
    <svg className="hist" viewBox="0 0 84 24" aria-hidden="true">
      {values.map((value, index) => {
        const tall = value === 0 ? 1 : Math.max(4, (value / most) * 22);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of a window do not move
            key={index}
            className={value === 0 ? 'ground' : 'fill failed'}
            x={index * 7}
            y={24 - tall}
            width="5"
            height={tall}
            rx="1"
          />
        );
      })}
    </svg>
  );
}
