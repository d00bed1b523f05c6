import type { Token } from 'markdown-it';

/** An open list; items without numbers have no `next`. */
interface List {
  next: number | undefined;
}

/** The text of parsed Markdown, block by block. */
export function plainBlocks(tokens: readonly Token[]): string {
  const text = new PlainText();
  for (const token of tokens) text.addToken(token);
  return text.toText();
}

class PlainText {
  readonly #lines: string[] = [];
  readonly #lists: List[] = [];
  #quotes = 0;
  /** The bullet of an item that has no text yet. */
  #bullet = '';
  #cells: string[] | undefined;

  addToken(token: Token): void {
    const { type, content, level } = token;
    if (type.endsWith('list_open'))
      this.#lists.push({ next: type.startsWith('ordered') ? listStart(token) : undefined });
    if (type.endsWith('list_close')) this.#lists.pop();
    if (type === 'list_item_open') this.#bullet = listBullet(this.#lists.at(-1)!);
    if (type === 'blockquote_open') this.#quotes++;
    if (type === 'blockquote_close') this.#quotes--;
    if (type === 'tr_open') this.#cells = [];
    if (type === 'inline') this.#addInline(plainLine(token.children ?? []));
    if (type === 'tr_close') this.#addRow();
    if (type === 'fence' || type === 'code_block') this.#addText(content.trimEnd());
    if (type === 'hr') this.#addText('---');
    if (level === 0 && /_close$|^(?:fence|code_block|hr)$/.test(type)) this.#lines.push('');
  }

  toText(): string {
    return this.#lines.join('\n').trim();
  }

  #addInline(text: string): void {
    if (this.#cells) this.#cells.push(text);
    else this.#addText(text);
  }

  #addRow(): void {
    const cells = this.#cells ?? [];
    this.#cells = undefined;
    this.#addText(cells.join(' | '));
  }

  #addText(text: string): void {
    const before = '> '.repeat(this.#quotes) + '  '.repeat(Math.max(0, this.#lists.length - 1));
    const further = this.#lists.length > 0 ? '  ' : '';
    for (const [index, line] of text.split('\n').entries()) {
      const prefix = index === 0 && this.#bullet !== '' ? this.#bullet : further;
      this.#lines.push(`${before}${prefix}${line}`.trimEnd());
    }
    this.#bullet = '';
  }
}

const listStart = (token: Token): number => Number(token.attrGet('start') ?? 1);

const listBullet = (list: List): string => (list.next === undefined ? '- ' : `${list.next++}. `);

/** Returns the text of one line. A link shows its text, followed by its address when that differs. */
function plainLine(tokens: readonly Token[]): string {
  const links: { from: number; href: string }[] = [];
  let text = '';
  for (const token of tokens) {
    const { type, content } = token;
    if (type === 'link_open') links.push({ from: text.length, href: String(token.attrGet('href') ?? '') });
    const link = type === 'link_close' ? links.pop() : undefined;
    if (link && text.slice(link.from) !== link.href) text += ` (${link.href})`;
    text += type === 'softbreak' || type === 'hardbreak' ? '\n' : content;
  }
  return text;
}
