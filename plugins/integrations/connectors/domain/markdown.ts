import MarkdownIt from 'markdown-it';
import { plainBlocks } from './plain-text.ts';

/**
 * A longer text is not parsed as Markdown but treated as one paragraph, because a node begins in a transaction that
 * must stay short.
 */
const MAX_CHARACTERS = 64 * 1024;
const MAX_NESTING = 20;

/** The addresses to which links and images may lead. Everything else stays text. */
const LINKS = /^(?:https?:\/\/|mailto:)/i;

/** With `html: false`, tags in the source are text, so only the tags of Markdown itself are produced. */
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
markdown.set({ maxNesting: MAX_NESTING });
markdown.validateLink = (url) => LINKS.test(url);

/**
 * Markdown as HTML. It has only the tags of CommonMark, tables and strikethrough; tags in the source are shown as text;
 * links and pictures lead only to http, https and mailto.
 * @public loaded when it is first needed
 */
export function htmlOf(text: string): string {
  if (text.length <= MAX_CHARACTERS) return markdown.render(text).trimEnd();
  return `<p>${markdown.utils.escapeHtml(text)}</p>`;
}

/**
 * Markdown as text for those who cannot show HTML: no marks, a line for each item, links with their addresses.
 * @public loaded when it is first needed
 */
export function plainOf(text: string): string {
  return text.length <= MAX_CHARACTERS ? plainBlocks(markdown.parse(text, {})) : text;
}
