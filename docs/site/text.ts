/** A text as one cell of a table. */
export const cell = (text: string): string => plain(text).replaceAll('|', '\\|');

/** A text of the help or of a schema as Markdown: backticks are code, everything else is text. */
export const plain = (text: string): string =>
  text
    .replaceAll(/\s*\n\s*/g, ' ')
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[\\*_<>[\]]/g, String.raw`\$&`)))
    .join('');

export const code = (text: string): string => `\`${text}\``;

/** A table; nothing when it would be empty. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.length === 0
    ? ''
    : `${[head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`;

/** The parts of a page with a blank line between them. */
export const joined = (...parts: readonly (string | undefined | false)[]): string =>
  `${parts
    .filter((part): part is string => typeof part === 'string' && part !== '')
    .map((part) => part.trim())
    .join('\n\n')}\n`;
