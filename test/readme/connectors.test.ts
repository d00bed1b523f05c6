import { glob, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t from 'tap';
import { clone } from '../../features/support/target.ts';

/**
 * The pages of connectors: what a manifest declares and shows stands in its README as it is, so that no example on a page
 * is one that nothing runs. `SVC_WRITE_README=1 node test/readme/connectors.test.ts` writes it.
 */
interface Value {
  name: string;
  type: string;
  required?: boolean;
  default?: unknown;
  one_of?: string[];
  markdown?: boolean;
  title?: string;
}

interface Message {
  status?: number;
  method?: string;
  url?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

interface Example {
  title?: string;
  action?: string;
  with?: object;
  input?: object;
  request?: Message;
  response?: Message;
  refused?: string;
  delivery?: { accepted: boolean; event_type?: string };
}

interface Manifest {
  name: string;
  credential?: { kind: string; required?: boolean; header?: string };
  test?: { request: { method: string; url: string } };
  fields?: Value[];
  actions?: Record<string, { title?: string; inputs?: Value[]; more_inputs?: boolean }>;
  hook?: unknown;
  examples?: Example[];
}

const row = ({ name, type, title = '', ...value }: Value): string => {
  const kind = value.one_of ? value.one_of.join(', ') : type;
  const words = [
    value.markdown ? `${kind}, Markdown` : kind,
    value.required ? 'required' : '',
    value.default === undefined ? '' : `default \`${JSON.stringify(value.default)}\``,
  ].filter((word) => word !== '');
  return `| \`${name}\` | ${words.join('; ')} | ${title} |`;
};

const table = (head: string, values: readonly Value[]): string =>
  values.length === 0 ? '' : `\n| ${head} | | |\n|---|---|---|\n${values.map(row).join('\n')}\n`;

const bodyLines = (body: unknown): string[] =>
  body === undefined ? [] : ['', ...(typeof body === 'string' ? body : JSON.stringify(body, null, 2)).split('\n')];

const headerLines = (headers: Record<string, string> = {}): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

function exampleText(connector: string, { title, action, request, response, refused, ...given }: Example): string {
  const values = JSON.stringify({ with: given.with ?? {}, input: given.input ?? {} }, null, 2);
  const asked = `\n**${title}**\n\n\`\`\`json\n${values}\n\`\`\`\n`;
  if (refused !== undefined) return `${asked}\nThe value at \`${refused}\` is rejected, and nothing is sent.\n`;
  const lines = [`${request!.method} ${request!.url}`, ...headerLines(request!.headers), ...bodyLines(request!.body)];
  const answered = [`${response?.status}`, ...headerLines(response?.headers), ...bodyLines(response?.body)];
  return `${asked}\n\`${connector}.${action}\` sends:\n\n\`\`\`http\n${lines.join('\n')}\n\`\`\`\n\nA possible response:\n\n\`\`\`http\n${answered.join('\n')}\n\`\`\`\n`;
}

function section({ name, credential, test, fields = [], actions = {}, examples = [] }: Manifest): string {
  const kind = credential && `${credential.kind}${credential.header ? ` in \`${credential.header}\`` : ''}`;
  const parts = [
    credential ? `\nCredential: ${kind}${credential.required === false ? ', optional' : ''}.\n` : '',
    test
      ? `\n\`svc credential test <name> --connector ${name}\` sends \`${test.request.method} ${test.request.url}\`.\n`
      : '',
    table('`with`', fields),
    ...Object.entries(actions).map(([action, one]) =>
      table(`\`${name}.${action}\`${one.more_inputs ? ' (and others)' : ''}`, one.inputs ?? []),
    ),
    examples.length > 0 ? '\n## Examples\n' : '',
    ...examples.filter(({ action }) => action !== undefined).map((one) => exampleText(name, one)),
  ];
  const deliveries = examples.filter(({ delivery }) => delivery !== undefined);
  if (deliveries.length > 0)
    parts.push(
      `\n| Delivery | |\n|---|---|\n${deliveries.map(({ title, delivery }) => `| ${title} | ${outcome(delivery!)} |`).join('\n')}\n`,
    );
  return parts.join('').replaceAll('\r', '');
}

const outcome = ({ accepted, event_type }: { accepted: boolean; event_type?: string }): string =>
  accepted ? `accepted${event_type === undefined ? '' : ` as \`${event_type}\``}` : 'rejected';

const MARKED = /<!-- manifest -->[\s\S]*<!-- \/manifest -->/;

t.test('every connector has a page that says what its manifest says', async (t) => {
  const files: string[] = [];
  for await (const file of glob('connectors/*/manifest.json', { cwd: clone })) files.push(file);
  t.ok(files.length >= 20);
  for (const file of files) {
    const path = join(clone, dirname(file), 'README.md');
    const manifest = JSON.parse(await readFile(join(clone, file), 'utf8')) as Manifest;
    const page = await readFile(path, 'utf8');
    const written = page.replace(MARKED, () => `<!-- manifest -->\n${section(manifest)}\n<!-- /manifest -->`);
    if (process.env.SVC_WRITE_README) await writeFile(path, written);
    t.match(page, MARKED, `${file} has a README with the marks`);
    t.equal(
      await readFile(path, 'utf8'),
      written,
      `${file}: SVC_WRITE_README=1 node test/readme/connectors.test.ts writes it`,
    );
  }
});
