import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';
import { useMemo } from 'react';

// Markup in the text is text. What is left is made clean all the same: two must fail before a note can do harm.
const reader = new MarkdownIt({ html: false, linkify: false, breaks: false });
const ALLOWED = 'p br strong em s code pre blockquote ul ol li h1 h2 h3 h4 h5 h6 hr a table thead tbody tr th td'.split(
  ' ',
);

/** Markdown of a run. Pictures are left out: loading one would tell its server who reads. */
export default function Markdown({ text }: { text: string }) {
  const clean = useMemo(
    () =>
      DOMPurify.sanitize(reader.render(text), {
        ALLOWED_TAGS: ALLOWED,
        ALLOWED_ATTR: ['href'],
        ALLOWED_URI_REGEXP: /^https?:\/\//i,
        ADD_ATTR: ['rel'],
      }),
    [text],
  );
  // biome-ignore lint/security/noDangerouslySetInnerHtml: it was made clean in the line before
  return <div className="markdown" dangerouslySetInnerHTML={{ __html: clean }} />;
}
