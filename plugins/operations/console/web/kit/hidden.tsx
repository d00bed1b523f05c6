import { visible } from './text.ts';

/** Marks of direction can make a line read as something else. */
export const Hidden = ({ text }: { text: string }) =>
  visible(text) === text ? null : (
    <p className="bad">It has characters that do not show, or that turn the direction of what follows them.</p>
  );
