/** Bound of the error and reason texts in lifecycle payloads, in Unicode code points. */
const LIFECYCLE_TEXT_POINTS = 4000;

/**
 * The last `points` code points of a text, because the end of an error says most. A surrogate pair counts as one and is
 * never split.
 */
export function tail(text: string, points: number = LIFECYCLE_TEXT_POINTS): string {
  if (text.length <= points) return text;
  let start = text.length;
  for (let kept = 0; kept < points && start > 0; kept++) {
    start -= 1;
    const low = text.charCodeAt(start);
    const high = start > 0 ? text.charCodeAt(start - 1) : 0;
    if (low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff) start -= 1;
  }
  return text.slice(start);
}
