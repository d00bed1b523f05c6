import type { Locator, Page } from 'playwright-core';

/** More presses of Tab than that, and nobody finds it. */
const MOST_TABS = 40;

/** A person at a page, whose clicks, texts and keys are counted. */
export class Hands {
  readonly page: Page;
  /** Clicks and texts; with the keyboard alone presses and texts. */
  count = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async click(target: Locator): Promise<void> {
    this.count += 1;
    await target.click();
  }

  /** Into the field that one clicks. */
  async fill(target: Locator, text: string): Promise<void> {
    this.count += 1;
    await target.fill(text);
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      this.count += 1;
      await this.page.keyboard.press(key);
    }
  }

  /** `g` and a letter. Both are sent at once, because the console counts them only when they follow each other soon. */
  async go(letter: string): Promise<void> {
    this.count += 2;
    await Promise.all(['g', letter].map((key) => this.page.keyboard.press(key)));
  }

  /** Where the focus is. */
  async type(text: string): Promise<void> {
    this.count += 1;
    await this.page.keyboard.type(text);
  }

  /** Goes by Tab to what has this name, and throws when that is too far away. */
  async tabTo(name: RegExp, key = 'Tab'): Promise<void> {
    for (let n = 0; n <= MOST_TABS; n++) {
      const focused = await this.page.evaluate(FOCUSED);
      if (name.test(String(focused))) return;
      await this.press(key);
    }
    throw new Error(`${name} is not within ${MOST_TABS} presses of ${key}`);
  }

  /** By the palette: what is typed, and how far below the first entry it stands. */
  async find(text: string, option: string | RegExp): Promise<void> {
    await this.press('Control+k');
    await this.page.getByRole('combobox', { name: 'Search or run' }).waitFor();
    await this.type(text);
    const wanted = this.page.getByRole('option', { name: option }).first();
    await wanted.waitFor();
    while ((await wanted.getAttribute('aria-selected')) !== 'true') await this.press('ArrowDown');
    await this.press('Enter');
  }
}

/** The words of what has the focus; an editor of text may lie in a shadow root. */
const FOCUSED = `(() => {
  const outer = document.activeElement;
  const focused = outer?.shadowRoot?.activeElement ?? outer;
  // The text of the whole page is no name.
  if (focused === document.body) return '';
  return focused?.ariaLabel || focused?.labels?.[0]?.textContent || focused?.textContent || '';
})()`;
