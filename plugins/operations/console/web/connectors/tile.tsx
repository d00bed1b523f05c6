import type { ReactNode } from 'react';
import type { Icon } from '../kit/icon.ts';
import './connectors.css';

interface Props {
  icon: Icon;
  title: ReactNode;
  about: ReactNode;
  /** What one does with it. */
  children: ReactNode;
}

/** One system: its icon, its name, what it is good for, and the next step. */
export const Tile = ({ icon: Icon, title, about, children }: Props) => (
  <li className="conn-tile">
    <span className="brand">
      <Icon size={18} aria-hidden />
    </span>
    <div className="what">
      <div className="strong clip">{title}</div>
      <div className="small-text quiet clip">{about}</div>
    </div>
    <div className="acts">{children}</div>
  </li>
);

interface SegProps {
  label: string;
  options: readonly string[];
  chosen: string;
  onChoose(option: string): void;
}

/** One of a few. */
export const Segments = ({ label, options, chosen, onChoose }: SegProps) => (
  // biome-ignore lint/a11y/useSemanticElements: buttons of which one is pressed
  <div className="seg" role="group" aria-label={label}>
    {options.map((option) => (
      <button key={option} type="button" aria-pressed={option === chosen} onClick={() => onChoose(option)}>
        {option}
      </button>
    ))}
  </div>
);
