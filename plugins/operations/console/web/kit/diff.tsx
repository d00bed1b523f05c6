import { type DiffLine, lineDiff, toHunks } from '../../../run-views/explain/compare/line-diff.ts';
import { visible } from './text.ts';
import './diff.css';

/** How two texts differ, line by line. The marks tell the sides apart without colours. */
export function Diff({ a, b, label }: { a: string; b: string; label: string }) {
  const { hunks: found, rest } = toHunks(lineDiff(a, b));
  if (found.length === 0) return <p className="quiet">No differences.</p>;
  let line = 0;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long one scrolls by keys
    <section className="diff" tabIndex={0} aria-label={label}>
      <pre>
        {found.map((hunk) => (
          <span key={(line += 1)}>
            <Gap lines={hunk.skipped} />
            {hunk.lines.map((one) => (
              <Line key={(line += 1)} line={one} />
            ))}
          </span>
        ))}
        <Gap lines={rest} />
      </pre>
    </section>
  );
}

function Line({ line: { side, text } }: { line: DiffLine }) {
  const shown = visible(text);
  if (side === 'a') return <del>- {shown}</del>;
  if (side === 'b') return <ins>+ {shown}</ins>;
  return (
    <span className="equal">
      {'  '}
      {shown}
    </span>
  );
}

const Gap = ({ lines }: { lines: number }) =>
  lines > 0 ? (
    <span className="gap">
      … {lines} equal {lines === 1 ? 'line' : 'lines'}
    </span>
  ) : null;
