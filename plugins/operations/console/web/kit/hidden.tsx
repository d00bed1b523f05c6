import { visible } from './text.ts';

/** Marks of direction can make a line read as something else. */
export const Hidden = ({ text }: { text: string }) =>
  visible(text) === text ? null : (
    <p className="bad">
      It contains invisible characters, or characters that change the direction of the text after them.
    </p>
  );
