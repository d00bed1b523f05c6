import { visible } from './text.ts';

/** A text of a run or a far end over several lines. */
export const Block = ({ text, bad }: { text: string; bad?: boolean }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a long one scrolls by keys
  <pre tabIndex={0} className={bad ? 'bad' : undefined}>
    {visible(text)}
  </pre>
);
