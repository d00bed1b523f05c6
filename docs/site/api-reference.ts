import { readOpenapi } from '../../test/tools/openapi.ts';
import type { Page } from './pages.ts';
import { cell, code, joined, plain, table } from './text.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  additionalProperties?: boolean | Schema;
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  parameters: { name: string; in: string; required: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
  responses: Record<string, { $ref?: string; description?: string; content?: Record<string, { schema?: Schema }> }>;
}

interface Called extends Operation {
  method: string;
  path: string;
}

type Schemas = Readonly<Record<string, Schema>>;

/** Members of members are shown this deep; the OpenAPI document has the rest. */
const DEEPEST = 3;

const SCOPE = '/api/v1/orgs/{org}/projects/{project}';

/** The resource that a path is about: its first fixed word after the scope. */
function resourceOf(path: string): string {
  const rest = path.startsWith(`${SCOPE}/`)
    ? path.slice(SCOPE.length)
    : path.replace(/^\/api\/v1(\/orgs\/\{org\}(?=\/))?/, '');
  const [, first = 'server'] = rest.split('/');
  return SAME[first] ?? first;
}

/** Resources that one page shows together. */
const SAME: Readonly<Record<string, string>> = {
  '': 'orgs',
  '.well-known': 'id-tokens',
  audit: 'audit',
  check: 'runs',
  connections: 'accounts',
  'event-types': 'events',
  expressions: 'graphs',
  files: 'artifacts',
  'graph-requirements': 'graphs',
  'node-types': 'graphs',
  'openapi.json': 'server',
  plugins: 'server',
  projects: 'orgs',
  console: 'server',
  'run-settings': 'runs',
  session: 'sessions',
  whoami: 'tokens',
};

/** `event-hooks` is "Event hooks". */
const titleOf = (resource: string): string => {
  const words = resource.replaceAll('-', ' ');
  return words[0]!.toUpperCase() + words.slice(1);
};

const resolve = (schema: Schema, schemas: Schemas): Schema =>
  schema.$ref === undefined
    ? schema
    : { ...schemas[schema.$ref.split('/').at(-1)!], ...(schema.description && { description: schema.description }) };

function typeOf(given: Schema, schemas: Schemas): string {
  const schema = resolve(given, schemas);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(', ');
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return [...new Set(choices.map((one) => typeOf(one, schemas)))].join(' or ');
  if (schema.type === 'array') return schema.items ? `array of ${typeOf(schema.items, schemas)}` : 'array';
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any');
  return schema.format ? `${type} (${schema.format})` : type;
}

/** The members of an object, those of inner objects with a dotted name. */
function members(given: Schema, schemas: Schemas, before = '', depth = 1): string[][] {
  const schema = resolve(given, schemas);
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const inner = resolve(value, schemas);
    const list = inner.type === 'array' && inner.items !== undefined;
    const item = list ? resolve(inner.items!, schemas) : inner;
    const path = `${before}${name}${list ? '[]' : ''}`;
    const required = schema.required?.includes(name) ? '' : 'optional';
    const own = [
      code(path),
      cell([typeOf(inner, schemas), required].filter(Boolean).join(', ')),
      cell(inner.description ?? ''),
    ];
    return [own, ...(depth < DEEPEST && item.properties ? members(item, schemas, `${path}.`, depth + 1) : [])];
  });
}

const bodyOf = (content: Record<string, { schema?: Schema }> = {}) => Object.entries(content)[0];

function answers(responses: Operation['responses'], schemas: Schemas): string {
  const own = Object.entries(responses).filter(([status, { $ref }]) => status !== 'default' && $ref === undefined);
  return own
    .map(([status, { description = '', content }]) => {
      const [type, body] = bodyOf(content) ?? [];
      const rows = body?.schema ? members(body.schema, schemas) : [];
      const what = type === undefined || type === 'application/json' ? '' : ` (${code(type)})`;
      return joined(`**${status}** ${plain(description)}${what}`, table(['Member', 'Type', 'Meaning'], rows));
    })
    .join('\n');
}

function section(
  { method, path, summary, description, parameters, requestBody, responses, operationId }: Called,
  schemas: Schemas,
): string {
  const [type, body] = bodyOf(requestBody?.content) ?? [];
  const others = parameters.filter((one) => one.in !== 'path');
  return joined(
    `## ${operationId}`,
    `${plain(summary)}. ${plain(description)}`.replace('..', '.'),
    `\`\`\`http\n${method} ${path.replace(SCOPE, '…')}\n\`\`\``,
    table(
      ['Parameter', 'Type', 'Meaning'],
      others.map((one) => [
        code(one.name),
        cell(
          [one.in === 'query' ? typeOf(one.schema, schemas) : one.in, one.required ? 'required' : '']
            .filter(Boolean)
            .join(', '),
        ),
        cell(one.description ?? one.schema.description ?? ''),
      ]),
    ),
    body?.schema && joined('**Body**', table(['Member', 'Type', 'Meaning'], members(body.schema, schemas))),
    type !== undefined && !body?.schema ? '**Body** The bytes themselves.' : '',
    answers(responses, schemas),
  );
}

/** One page for each resource, and one that says what holds for all of them. */
export async function apiPages(version: string): Promise<Page[]> {
  const { paths, components } = (await readOpenapi()) as unknown as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Schemas };
  };
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): Called => ({ ...operation, method: method.toUpperCase(), path }),
    ),
  );
  const resources = [...new Set(calls.map(({ path }) => resourceOf(path)))].toSorted();
  const pages = resources.map((resource): Page => {
    const own = calls.filter(({ path }) => resourceOf(path) === resource);
    return {
      path: `api/${resource}`,
      group: 'HTTP API',
      title: titleOf(resource),
      markdown: joined(
        `# ${titleOf(resource)}`,
        `Look up every request of the API about ${titleOf(resource).toLowerCase()}. ${code('…')} is ${code(SCOPE)}; [the API in general](/api/overview) explains tokens and errors.`,
        table(
          ['Request', 'What it does'],
          own.map(({ method, path, summary, operationId }) => [
            `[${code(`${method} ${path.replace(SCOPE, '…')}`)}](#${operationId.toLowerCase()})`,
            cell(summary),
          ]),
        ),
        ...own.map((one) => section(one, components.schemas)),
      ),
    };
  });
  const overview: Page = {
    path: 'api/overview',
    group: 'HTTP API',
    title: 'The API in general',
    markdown: joined(
      '# The HTTP API',
      `Call svc ${version} from your own programs: this page explains how to authenticate, how errors look, and where each resource is described.`,
      'The server describes its own API, with the routes of its plugins, as an OpenAPI 3.1 document. It needs no token:',
      '```sh\ncurl "$SVC_URL/api/v1/openapi.json"\n```',
      '## Authentication',
      'Send a token: `svc token create <name>` prints one for a person or for CI (`svc_pat_…`), and `svc token create <name> --agent` prints one for an agent.',
      '```sh\ncurl -H "Authorization: Bearer $SVC_TOKEN" "$SVC_URL/api/v1/whoami"\n```',
      '## Errors',
      'Every error is `application/problem+json` (RFC 9457): `code` never changes its meaning, `detail` says what happened this time, `next` says what to do, and `docs` says where it is described. [Error codes](/errors) lists all of them.',
      '## Lists',
      'A list takes `limit` (1 to 200) and `cursor`. A page that is not the last one has `next_cursor`; send it as `cursor` to get the next page.',
      '## Resources',
      table(
        ['Resource', 'Requests'],
        pages.map(({ path, title }) => [
          `[${title}](/${path})`,
          String(calls.filter((one) => `api/${resourceOf(one.path)}` === path).length),
        ]),
      ),
    ),
  };
  return [overview, ...pages];
}
