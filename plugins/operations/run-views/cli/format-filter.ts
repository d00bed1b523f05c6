/** Returns a filter as the flags of `svc runs ls`. */
export const formatFilter = (filter: object): string =>
  Object.entries(filter)
    .map(([name, value]) => (name === 'paused' && value === true ? '--paused' : `--${name} ${quote(String(value))}`))
    .join(' ');

/** A value on one line, as a shell takes it. */
const quote = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
