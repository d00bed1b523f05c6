import type { Client } from '../../../../../cli/contract.ts';
import type { Kind } from './kinds.ts';

type Schema = { readonly [keyword: string]: unknown };

/** The JSON Schema of each kind of file. */
export interface FileSchemas {
  of(kind: Kind): Schema;
}

interface Operation {
  operationId?: string;
  requestBody?: { content?: { 'application/json'?: { schema?: Schema } } };
}

interface OpenApi {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: { schemas: Readonly<Record<string, Schema>> };
}

const REFERENCE = '#/components/schemas/';

const FILE = {
  type: 'string',
  minLength: 1,
  maxLength: 1024,
  description:
    'Path of the document, relative to this file: a script, a pipeline or a graph. Replaces `source` and `filename`.',
};
const INCLUDE = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: { type: 'string', minLength: 1, maxLength: 1024 },
  description: "Files and folders that the script needs, relative to the script's folder.",
};
const VARIABLE = { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$' };
const KEY_ENV = {
  ...VARIABLE,
  description:
    'The environment variable with the signing key, which svc apply reads. Required to create or change a signed hook.',
};

const without = (members: Schema, ...names: readonly string[]): Schema =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));

/** How the file of a kind differs from the body of the request. */
const CHANGES: Readonly<Record<string, (schema: Schema) => Schema>> = {
  'event-hooks': (schema) => {
    const properties = schema.properties as Readonly<Record<string, Schema>>;
    const { hmac } = properties;
    const signed = {
      ...hmac,
      required: ['header'],
      properties: without(hmac!.properties as Schema, 'key'),
    };
    return { ...schema, properties: { ...without(properties, 'key'), hmac: signed, key_env: KEY_ENV } };
  },
  webhooks: (schema) => ({ ...schema, properties: without(schema.properties as Schema, 'rotate') }),
  credentials: ({ title }) => ({
    title,
    description: 'A credential that people set. Its values are never in a file.',
    type: 'object',
    additionalProperties: false,
    required: ['kind'],
    properties: {
      kind: { enum: ['bearer', 'api_key', 'api-key', 'basic', 'url_token', 'url-token'] },
      hosts: {
        type: 'array',
        minItems: 1,
        maxItems: 100,
        items: { type: 'string', minLength: 1, maxLength: 255 },
        description: 'The only hosts to which requests send it. Without the member, they are not compared.',
      },
    },
  }),
  'secret-stores': (schema) => {
    const { login, ...options } = schema.properties as Readonly<Record<string, Schema>>;
    const members = Object.keys(login!.properties as Schema).map((name) => [name, VARIABLE]);
    const login_env = {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: Object.fromEntries(members) as Schema,
      description:
        'The variables with the members of the login, which are read where svc apply runs. Needed to create or change a store.',
    };
    return { ...schema, required: ['kind'], properties: { ...options, login_env } };
  },
};

const PROVIDER: Schema = {
  title: 'ProviderFile',
  description:
    'A provider of connected accounts, which the operator of the server configures. Absent members are not compared.',
  type: 'object',
  additionalProperties: false,
  properties: {
    title: { type: 'string' },
    docs_url: { type: 'string' },
    scopes: { type: 'array', items: { type: 'string' } },
    capabilities: { type: 'object' },
    assumed_lifetime_secs: { type: 'integer' },
  },
};

const DOCUMENT = {
  type: ['string', 'object'],
  description: 'The graph, or the path of its JSON, relative to this file.',
};

const GRAPH: Schema = {
  title: 'GraphFile',
  description: 'A stored graph.',
  type: 'object',
  additionalProperties: false,
  required: ['document'],
  properties: {
    document: DOCUMENT,
    published: {
      type: ['boolean', 'string', 'object'],
      description:
        'Whether its triggers are registered. A path or a graph: this document is published instead of the saved one. Default: false.',
    },
  },
};

/** Makes the schemas of the files from those of the requests that create their objects, as the server describes them. */
export async function readSchemas(api: Client): Promise<FileSchemas> {
  const document = await api.json<OpenApi>({ path: '/api/v1/openapi.json', expects: ['paths', 'components'] });
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const made = new Map<string, Schema>();
  return {
    of({ folder, operation }) {
      const cached = made.get(folder);
      if (cached) return cached;
      const body = operations.find(({ operationId }) => operationId === operation)?.requestBody;
      const schema = toFileSchema(
        folder,
        body?.content?.['application/json']?.schema ?? {},
        document.components.schemas,
      );
      made.set(folder, schema);
      return schema;
    },
  };
}

function toFileSchema(folder: string, body: Schema, components: OpenApi['components']['schemas']): Schema {
  if (folder === 'graphs' || folder === 'providers') return complete(folder === 'graphs' ? GRAPH : PROVIDER, {});
  const resolved = typeof body.$ref === 'string' ? (components[body.$ref.slice(REFERENCE.length)] ?? {}) : body;
  return complete((CHANGES[folder] ?? ((schema: Schema) => schema))(resolved), components);
}

/** Adds the definitions that a schema refers to. A workflow in a file can name its document and what it includes. */
function complete(schema: Schema, components: OpenApi['components']['schemas']): Schema {
  const $defs: Record<string, unknown> = {};
  const localize = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(localize);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        if (key !== '$ref' || typeof item !== 'string' || !item.startsWith(REFERENCE)) return [key, localize(item)];
        const name = item.slice(REFERENCE.length);
        if (!(name in $defs)) {
          $defs[name] = true;
          $defs[name] = localize(name === 'Workflow' ? withFile(components[name]!) : components[name]);
        }
        return [key, `#/$defs/${name}`];
      }),
    );
  };
  const local = localize(schema) as Schema;
  const draft = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...local };
  return Object.keys($defs).length === 0 ? draft : { ...draft, $defs };
}

const withFile = (workflow: Schema): Schema => ({
  ...workflow,
  properties: { file: FILE, include: INCLUDE, ...(workflow.properties as Schema) },
});
