import type { HttpReply } from '../../../kernel/contracts/index.ts';
import type { Outcome } from './callback.ts';
import type { ConsolePlaces } from './places.ts';

/** No script, no form, no frame; nothing that the address held is repeated or kept. */
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
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!);

/** Says what happened and leads back to the Connections page. */
export function callbackPage({ ok, status, title, lines, to }: Outcome, places: ConsolePlaces): HttpReply {
  const back = to ? places.inProject(to, to.name) : `${places.base()}/`;
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · svc</title>
<link rel="stylesheet" href="${escaped(places.base())}/console/console.css">
</head>
<body>
<main>
<section class="panel narrow">
<h1${ok ? '' : ' class="error"'}>${escaped(title)}</h1>
${lines.map((line) => `<p>${escaped(line)}</p>`).join('\n')}
<p><a href="${escaped(back)}">${to ? 'Back to the Connections page' : 'To the console'}</a></p>
</section>
</main>
</body>
</html>
`;
  return { status, text, type: 'text/html; charset=utf-8', headers: HEADERS };
}
