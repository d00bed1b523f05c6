import { visible } from './text.ts';

/** A text of a run or a far end over several lines. */
export const Block = ({ text }: { text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a long one scrolls by keys
  <pre tabIndex={0}>{visible(text)}</pre>
);
