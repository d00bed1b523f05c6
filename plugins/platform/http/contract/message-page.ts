import type { HttpReply } from '../../../../kernel/contracts/index.ts';

/** The page has no script, form or frame, and repeats nothing from its address. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
};

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!);

/** What happened, and a link to go on. All of it is plain text. */
export interface Message {
  ok: boolean;
  status: number;
  title: string;
  lines: readonly string[];
  link: { to: string; text: string };
  /** The address of the console. */
  base: string;
}

export function messagePage({ ok, status, title, lines, link, base }: Message): HttpReply {
  const body = `<h1${ok ? '' : ' class="error"'}>${escapeHtml(title)}</h1>
${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')}
<p><a href="${escapeHtml(link.to)}">${escapeHtml(link.text)}</a></p>`;
  return htmlPage({ status, title, body, base, headers: HEADERS });
}

/** A page without a script. `body` is HTML, in which the caller has escaped every text. */
export interface HtmlPage {
  status: number;
  title: string;
  body: string;
  /** The address of the console. */
  base: string;
  headers: Readonly<Record<string, string>>;
}

export function htmlPage({ status, title, body, base, headers }: HtmlPage): HttpReply {
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · svc</title>
<link rel="stylesheet" href="${escapeHtml(base)}/console/message.css">
</head>
<body>
<main>
<section class="panel">
${body}
</section>
</main>
</body>
</html>
`;
  return { status, text, type: 'text/html; charset=utf-8', headers };
}
