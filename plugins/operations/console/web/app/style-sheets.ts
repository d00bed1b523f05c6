/** The number of times that a style sheet is requested again, and the time before the first one. */
const MAX_RETRIES = 5;
const FIRST_DELAY_MS = 250;

/**
 * Requests a page's style sheet again when its first request fails, for instance because the connection broke. Without this,
 * Vite does not open the page at all. Modules that fail are left to the router, which loads the whole page again.
 */
export function retryStyleSheets(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const [, href] = /^Unable to preload CSS for (\S+)$/.exec(event.payload.message) ?? [];
    if (href === undefined) return;
    event.preventDefault();
    addStyleSheet(href, 0);
  });
}

function addStyleSheet(href: string, retries: number): void {
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href });
  link.addEventListener('error', () => {
    link.remove();
    if (retries < MAX_RETRIES) setTimeout(() => addStyleSheet(href, retries + 1), FIRST_DELAY_MS * 2 ** retries);
  });
  document.head.append(link);
}
