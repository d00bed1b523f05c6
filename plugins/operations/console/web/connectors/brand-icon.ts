import { createElement } from 'react';
import type { Icon } from '../kit/icon.ts';
import { initials } from '../kit/initials.ts';

/** A brand's sign in the colour of the text, drawn from one path of 24 by 24. */
export const drawn =
  (path: string): Icon =>
  ({ size = 16, ...rest }) =>
    createElement(
      'svg',
      { viewBox: '0 0 24 24', width: size, height: size, fill: 'currentColor', ...rest },
      createElement('path', { d: path }),
    );

const known = new Map<string, Icon>();

/** Letters for a system that has no sign: always the same component for a title, so that React keeps its element. */
export function monogram(title: string): Icon {
  const letters = initials(title);
  const before = known.get(letters);
  if (before) return before;
  const icon: Icon = ({ size = 16, ...rest }) =>
    createElement(
      'svg',
      { viewBox: '0 0 24 24', width: size, height: size, fill: 'currentColor', ...rest },
      createElement('text', { x: 12, y: 17.5, textAnchor: 'middle', fontSize: 15, fontWeight: 600 }, letters),
    );
  known.set(letters, icon);
  return icon;
}
