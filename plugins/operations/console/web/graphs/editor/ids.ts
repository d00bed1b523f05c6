/** What an id may be; `lets` says it in words. */
export const ID = /^[A-Za-z][A-Za-z0-9_-]{0,54}$/;
export const ID_WANTS = 'Letters, digits, _ and -, beginning with a letter';

/** `post_message` of `team_chat.post_message`, with a number where that is taken. */
export function freshId(base: string, taken: ReadonlySet<string>): string {
  const last = base.slice(base.lastIndexOf('.') + 1);
  const plain = last.replaceAll(/[^A-Za-z0-9_-]/g, '_').replace(/^[^A-Za-z]+/, '') || 'node';
  const stem = plain.slice(0, 48);
  if (!taken.has(stem)) return stem;
  const root = stem.replace(/_\d+$/, '');
  for (let n = 2; ; n++) if (!taken.has(`${root}_${n}`)) return `${root}_${n}`;
}
