import type { ReactNode } from 'react';
import { type Hue, hueOf, stateWord } from './state.ts';

const RING = { cx: 8, cy: 8, r: 6, fill: 'none', stroke: 'currentColor', strokeWidth: 1.75 } as const;
const LINE = { fill: 'none', stroke: 'currentColor', strokeWidth: 1.75, strokeLinecap: 'round' } as const;
const DISC = 'M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Z';

const SHAPES: Record<Hue, ReactNode> = {
  queued: <circle {...RING} strokeDasharray="2.6 2.1" />,
  running: (
    <>
      <circle {...RING} strokeWidth={2} strokeOpacity={0.28} />
      <path {...LINE} d="M8 2a6 6 0 0 1 6 6" strokeWidth={2} />
    </>
  ),
  waiting: (
    <path fill="currentColor" fillRule="evenodd" d={`${DISC}m-2.6 4.2h1.7v5.6H5.4V5.2Zm3.5 0h1.7v5.6H8.9V5.2Z`} />
  ),
  succeeded: (
    <path
      fill="currentColor"
      fillRule="evenodd"
      d={`${DISC}m3.4 5.3-4 4.5a.8.8 0 0 1-1.15.04l-2-1.95 1.1-1.15 1.4 1.36 3.45-3.87 1.2 1.07Z`}
    />
  ),
  failed: (
    <path
      fill="currentColor"
      fillRule="evenodd"
      d={`${DISC}M5.9 4.8 8 6.9l2.1-2.1 1.1 1.1L9.1 8l2.1 2.1-1.1 1.1L8 9.1l-2.1 2.1-1.1-1.1L6.9 8 4.8 5.9l1.1-1.1Z`}
    />
  ),
  cancelled: (
    <>
      <circle {...RING} />
      <path {...LINE} d="M3.9 12.1 12.1 3.9" />
    </>
  ),
  retried: <path {...LINE} strokeLinejoin="round" d="M13.5 8a5.5 5.5 0 1 1-1.7-4M13.6 1.6v2.9h-2.9" />,
  reused: (
    <>
      <circle {...RING} />
      <path {...LINE} d="M4.4 9.6 9.6 4.4M6.3 11.4l5.1-5.1" strokeWidth={1.5} />
    </>
  ),
  skipped: (
    <>
      <circle {...RING} />
      <path {...LINE} d="M5.2 8h5.6" />
    </>
  ),
};

interface IconProps {
  of: string;
  size?: 's' | 'm' | 'l';
  /** Its word stands beside it. */
  silent?: boolean;
}

/** The mark of a state: its shape tells it, not its colour alone. */
export function StatusIcon({ of, size = 'm', silent = false }: IconProps) {
  const hue = hueOf(of);
  const look = `st ${hue} ${size}`;
  return silent ? (
    <svg viewBox="0 0 16 16" className={look} aria-hidden="true">
      {SHAPES[hue]}
    </svg>
  ) : (
    <svg viewBox="0 0 16 16" className={look} role="img" aria-label={stateWord(of)}>
      {SHAPES[hue]}
    </svg>
  );
}

/** A state as a tinted pill with its mark and its word, or with what is to be read in place of it. */
export const Status = ({ of, children }: { of: string; children?: ReactNode }) => (
  <span className={`pill status ${hueOf(of)}`}>
    <StatusIcon of={of} size="s" silent />
    {children ?? stateWord(of)}
  </span>
);
