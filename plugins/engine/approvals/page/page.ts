import type { Fault, HttpReply } from '../../../../kernel/contracts/index.ts';
import { escapeHtml, htmlPage } from '../../../platform/http/contract.ts';
import type { SignalTerms } from '../../runs/contract.ts';
import { choiceText, type Field, fieldsOf } from './fields.ts';

/** The page has no script, sends its form only to this server, and its address goes nowhere else. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
  'Cache-Control': 'no-store',
};

export interface QuestionView {
  terms: SignalTerms;
  /** Who created the link. */
  by: string;
  run_id: string;
  /** When the link ends. */
  expires_at: string;
  /** What was sent, when it does not fit the form. */
  sent?: URLSearchParams;
  errors?: readonly Fault[];
}

/** What is asked, its form, and the buttons. Opening it changes nothing. */
export function questionPage({ terms, by, run_id, expires_at, sent, errors = [] }: QuestionView): HttpReply {
  const fields = terms.form === undefined ? [] : fieldsOf(terms.form);
  const body = `<h1>Your answer is needed</h1>
${(terms.message ?? 'A workflow waits for your approval.')
  .split('\n')
  .map((line) => `<p>${escapeHtml(line)}</p>`)
  .join('\n')}
${errors.length === 0 ? '' : `<ul class="error">${errors.map(({ pointer, message }) => `<li>${escapeHtml(`${pointer.replace(/^\/payload\/?/, '')} ${message}`.trim())}</li>`).join('')}</ul>`}
<form method="post">
${fields.map((field) => drawField(field, sent)).join('\n')}
<p><label>Reason, if you reject<br><input name="reason" maxlength="500" autocomplete="off" value="${escapeHtml(sent?.get('reason') ?? '')}"></label></p>
<p><button name="decision" value="approve">Approve</button> <button name="decision" value="reject" formnovalidate>Reject</button></p>
</form>
<p><small>${escapeHtml(by)} sent you this link. It answers once, for the run ${escapeHtml(run_id)}, until ${escapeHtml(expires_at)}.</small></p>`;
  return page(errors.length === 0 ? 200 : 422, 'Your answer is needed', body);
}

/** What happened, without anything to do. */
export function endPage(status: number, title: string, lines: readonly string[]): HttpReply {
  const text = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n');
  return page(status, title, `<h1>${escapeHtml(title)}</h1>\n${text}`);
}

function drawField(field: Field, sent: URLSearchParams | undefined): string {
  const { name, label, help, required, input, choices } = field;
  const value = sent === undefined ? field.start : (sent.get(name) ?? '');
  const named = `name="${escapeHtml(name)}"${required && input !== 'checkbox' ? ' required' : ''}`;
  const hint = help === undefined ? '' : `<br><small>${escapeHtml(help)}</small>`;
  const head = `${escapeHtml(label)}${required || input === 'checkbox' ? '' : ' (optional)'}`;
  if (input === 'checkbox') {
    const checked = sent === undefined ? value === 'true' : sent.has(name);
    return `<p><label><input type="checkbox" ${named}${checked ? ' checked' : ''}> ${head}</label>${hint}</p>`;
  }
  return `<p><label>${head}<br>${drawInput(input, named, value, choices?.map(choiceText))}</label>${hint}</p>`;
}

function drawInput(input: Field['input'], named: string, value: string, choices: readonly string[] = []): string {
  const text = escapeHtml(value);
  if (input === 'textarea' || input === 'json') return `<textarea ${named} rows="4">${text}</textarea>`;
  if (input === 'number') return `<input type="number" step="any" ${named} value="${text}">`;
  if (input !== 'select') return `<input type="${input}" ${named} value="${text}">`;
  const options = choices.map(
    (choice) =>
      `<option value="${escapeHtml(choice)}"${choice === value ? ' selected' : ''}>${escapeHtml(choice)}</option>`,
  );
  return `<select ${named}><option value=""></option>${options.join('')}</select>`;
}

const page = (status: number, title: string, body: string): HttpReply =>
  htmlPage({ status, title, body, base: '', headers: HEADERS });
