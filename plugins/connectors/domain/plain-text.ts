import type { Token } from 'markdown-it';

/** An open list; items without numbers have no `next`. */
interface List {
  next: number | undefined;
}

/** The text of parsed Markdown, block by block. */
export function plainBlocks(tokens: readonly Token[]): string {
  const text = new PlainText();
  for (const token of tokens) text.take(token);
  return text.done();
}

class PlainText {
  readonly #lines: string[] = [];
  readonly #lists: List[] = [];
  #quotes = 0;
  /** Of the item that has no text yet. */
  #bullet = '';
  #cells: string[] | undefined;

  take(token: Token): void {
    const { type, content, level } = token;
    if (type.endsWith('list_open')) this.#lists.push({ next: type.startsWith('ordered') ? startOf(token) : undefined });
    if (type.endsWith('list_close')) this.#lists.pop();
    if (type === 'list_item_open') this.#bullet = bulletOf(this.#lists.at(-1)!);
    if (type === 'blockquote_open') this.#quotes++;
    if (type === 'blockquote_close') this.#quotes--;
    if (type === 'tr_open') this.#cells = [];
    if (type === 'inline') this.#inline(plainLine(token.children ?? []));
    if (type === 'tr_close') this.#row();
    if (type === 'fence' || type === 'code_block') this.#say(content.trimEnd());
    if (type === 'hr') this.#say('---');
    if (level === 0 && /_close$|^(?:fence|code_block|hr)$/.test(type)) this.#lines.push('');
  }

  done(): string {
    return this.#lines.join('\n').trim();
  }

  #inline(text: string): void {
    if (this.#cells) this.#cells.push(text);
    else this.#say(text);
  }

  #row(): void {
    const cells = this.#cells ?? [];
    this.#cells = undefined;
    this.#say(cells.join(' | '));
  }

  #say(text: string): void {
    const before = '> '.repeat(this.#quotes) + '  '.repeat(Math.max(0, this.#lists.length - 1));
    const further = this.#lists.length > 0 ? '  ' : '';
    for (const [index, line] of text.split('\n').entries()) {
      const mark = index === 0 && this.#bullet !== '' ? this.#bullet : further;
      this.#lines.push(`${before}${mark}${line}`.trimEnd());
    }
    this.#bullet = '';
  }
}

const startOf = (token: Token): number => Number(token.attrGet('start') ?? 1);

const bulletOf = (list: List): string => (list.next === undefined ? '- ' : `${list.next++}. `);

/** The text of one line: of a link its text, and its address where that is another one. */
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
