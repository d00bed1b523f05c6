/** How escapers of HTML and XML write a double and a single quote. The last one leaves both unchanged. */
const QUOTES = [
  ['&quot;', '&#39;'],
  ['&quot;', '&#x27;'],
  ['&quot;', '&#039;'],
  ['&quot;', '&apos;'],
  ['&#34;', '&#39;'],
  ['&quot;', "'"],
  ['"', "'"],
] as const;

/** Returns the value escaped as in HTML and XML. */
export function htmlForms(value: string): string[] {
  const text = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return QUOTES.map(([double, single]) => text.replaceAll('"', double).replaceAll("'", single));
}
