import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { Expressions, ServiceError } from '../../../kernel/contracts/index.ts';
import { boot } from '../../../test/kit/index.ts';
import { ManifestReading } from '../manifests/contract.ts';
import { importOpenapi, type ImportOptions } from './openapi/import.ts';
import { checkConnector } from './service/compile-connectors.ts';

const server = await boot({ plugins: ['connectors'] });
t.teardown(() => server.close());
const deps = { reading: server.use(ManifestReading), expressions: server.use(Expressions) };

const convert = (document: unknown, options: ImportOptions = {}) => importOpenapi(document, options, deps);

/** A document with these paths. */
const withPaths = (paths: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Pet Store API', version: '1' },
  servers: [{ url: 'https://pets.example.org/v1/' }],
  ...more,
  paths,
});

/** The error of a document that cannot be imported. */
function refusal(document: unknown, options?: ImportOptions): string {
  try {
    convert(document, options);
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
  throw new Error('it is imported');
}

t.test('the document of a public service becomes a connector that passes its check', async (t) => {
  const source = readFileSync(join(import.meta.dirname, 'testing/openapi/uspto.yaml'), 'utf8');
  const { manifest, notes } = convert(parse(source));
  t.same(notes, []);
  t.same(deps.reading.check(JSON.parse(JSON.stringify(manifest))), { manifest });
  t.same(checkConnector({ manifest, origin: '' }, deps.expressions), []);
  t.match(manifest, {
    name: 'uspto_data_set',
    title: 'USPTO Data Set API',
    credential: undefined,
    fields: [{ name: 'base_url', default: 'https://developer.uspto.gov/ds-api' }],
  });
  t.same(Object.keys(manifest.actions!), ['list_data_sets', 'list_searchable_fields', 'perform_search']);
  const { inputs, request, title } = manifest.actions!.perform_search!;
  t.equal(title, 'Provides search capability for the data set with the given search criteria.');
  t.same(request, {
    method: 'POST',
    url: '{{ with.base_url }}/{{ input.dataset }}/{{ input.version }}/records',
    body: { criteria: '{{ input.criteria }}', start: '{{ input.start }}', rows: '{{ input.rows }}' },
    encoding: 'form',
  });
  t.match(inputs, [
    { name: 'version', type: 'string', required: true },
    { name: 'dataset', type: 'string', required: true },
    { name: 'criteria', type: 'string', default: '*:*' },
    { name: 'start', type: 'integer', default: 0 },
    { name: 'rows', type: 'integer', default: 100 },
  ]);
  t.match(
    manifest.examples!.find(({ action }) => action === 'list_searchable_fields'),
    {
      input: { dataset: 'oa_citations', version: 'v1' },
      request: { method: 'GET', url: 'https://developer.uspto.gov/ds-api/oa_citations/v1/fields' },
      response: { status: 200 },
    },
  );
});

t.test('parameters and bodies become inputs', async (t) => {
  const { manifest, notes } = convert(
    withPaths(
      {
        '/pets/{pet-id}': {
          parameters: [
            { $ref: '#/components/parameters/Id' },
            { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
          ],
          put: {
            operationId: 'updatePet',
            parameters: [
              { name: 'kind', in: 'query', schema: { type: 'string', enum: ['cat', 'dog'], default: 'cat' } },
              { name: 'tag', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
              { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object' } },
              { name: 'session', in: 'cookie', schema: { type: 'string' } },
              { name: 'Accept', in: 'header', schema: { type: 'string' } },
            ],
            requestBody: {
              required: true,
              content: {
                'application/merge-patch+json': {
                  schema: { $ref: '#/components/schemas/Pet' },
                  example: { name: 'Rex' },
                },
              },
            },
            responses: { 200: { content: { 'application/json': { example: { id: 7 } } } } },
          },
        },
        '/notes': { post: { requestBody: { content: { 'text/plain': { schema: { type: 'string' } } } } } },
      },
      {
        components: {
          parameters: { Id: { name: 'pet-id', in: 'path', required: true, schema: { type: 'integer' }, example: 7 } },
          schemas: {
            Named: { properties: { name: { type: 'string' } }, required: ['name'] },
            Pet: {
              allOf: [{ $ref: '#/components/schemas/Named' }],
              type: 'object',
              properties: {
                id: { type: 'integer', readOnly: true },
                kind: { type: ['string', 'null'] },
                parent: { $ref: '#/components/schemas/Pet' },
              },
            },
          },
        },
      },
    ),
  );
  t.same(manifest.name, 'pet_store');
  const { inputs, request } = manifest.actions!.update_pet!;
  t.same(
    inputs!.map(({ name, type, required = false }) => `${name}: ${type}${required ? '!' : ''}`),
    [
      'pet_id: integer!',
      'X_Trace: string',
      'kind: string',
      'tag: array',
      'name: string!',
      'kind_2: string',
      'parent: object',
    ],
  );
  t.match(inputs![2], { one_of: ['cat', 'dog'], default: 'cat' });
  t.same(request, {
    method: 'PUT',
    url: '{{ with.base_url }}/pets/{{ input.pet_id }}',
    query: { kind: '{{ input.kind }}', tag: '{{ input.tag }}' },
    headers: { 'X-Trace': '{{ input.X_Trace }}', 'Content-Type': 'application/merge-patch+json' },
    body: { name: '{{ input.name }}', kind: '{{ input.kind_2 }}', parent: '{{ input.parent }}' },
  });
  t.match(manifest.examples, [
    {
      action: 'update_pet',
      input: { pet_id: 7, name: 'Rex' },
      request: { url: 'https://pets.example.org/v1/pets/7?kind=cat', body: { name: 'Rex' } },
      response: { status: 200, body: { id: 7 } },
    },
    {
      action: 'post_notes',
      request: { method: 'POST', url: 'https://pets.example.org/v1/notes' },
    },
  ]);
  t.same(
    notes.map(({ operation, note }) => `${operation}: ${note}`),
    [
      'update_pet: the parameter filter has a form that templates cannot write',
      'update_pet: the parameter session is a cookie',
    ],
  );
});

t.test('what a connector cannot send is left out and reported', async (t) => {
  const get = { get: {} };
  const required = (parameter: object) => ({ get: { parameters: [{ name: 'x', required: true, ...parameter }] } });
  const { manifest, notes } = convert(
    withPaths({
      '/ok': get,
      '/cookie': required({ in: 'cookie' }),
      '/{x}/{y}': required({ in: 'path' }),
      '/elsewhere': { get: { parameters: [{ $ref: 'other.yaml#/x' }] } },
      '/upload': { post: { requestBody: { required: true, content: { 'multipart/form-data': {} } } } },
      '/proxy': { post: { parameters: [{ name: 'Host', in: 'header', required: true, schema: { type: 'string' } }] } },
      '/{{ 1 }}': get,
    }),
  );
  t.same(Object.keys(manifest.actions!), ['get_ok']);
  t.match(
    notes.map(({ operation, note }) => `${operation} ${note}`),
    [
      'get_cookie is left out: the parameter x is a cookie',
      'get_x_y is left out: the path contains what no parameter describes',
      'get_elsewhere is left out: a parameter refers to another document',
      'post_upload is left out: its body can only be sent as multipart/form-data',
      'get_1 is left out: the path contains what no parameter describes',
      /^post_proxy is left out: .*Host is a header of the connection/,
    ],
  );
});

t.test('the security of the document becomes the credential', async (t) => {
  const securitySchemes = {
    oauth: { type: 'oauth2' },
    login: { type: 'http', scheme: 'Basic' },
    jwt: { type: 'http', scheme: 'bearer' },
    header: { type: 'apiKey', in: 'header', name: 'X-Key' },
    query: { type: 'apiKey', in: 'query', name: 'api key' },
    cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  };
  const credentialOf = (...security: object[]) =>
    convert(withPaths({ '/a': { get: {} } }, { components: { securitySchemes }, security })).manifest;
  t.same(credentialOf({ oauth: ['read'] }).credential, { kind: 'bearer' });
  t.same(credentialOf({ login: [] }).credential, { kind: 'basic' });
  t.same(credentialOf({ jwt: [] }, {}).credential, { kind: 'bearer', required: false });
  t.same(credentialOf({ cookie: [] }, { header: [] }).credential, { kind: 'api_key', header: 'X-Key' });
  t.same(credentialOf({ cookie: [] }).credential, undefined);
  const keyed = credentialOf({ query: [] });
  t.same(keyed.credential, { kind: 'url_token' });
  t.equal(keyed.actions!.get_a!.request.url, '{{ with.base_url }}/a?api%20key={credential}');
  const open = withPaths(
    { '/a': { get: {} }, '/b': { get: { security: [] } } },
    { components: { securitySchemes }, security: [{ jwt: [] }] },
  );
  t.same(convert(open).manifest.credential, { kind: 'bearer', required: false });
  t.same(convert(open, { operations: ['get_a'] }).manifest.credential, { kind: 'bearer' });
});

t.test('operations and a name can be chosen', async (t) => {
  const document = withPaths({ '/a': { get: { operationId: 'listA' } }, '/b': { get: { operationId: 'list-b' } } });
  t.same(Object.keys(convert(document, { operations: ['listA'] }).manifest.actions!), ['list_a']);
  t.same(Object.keys(convert(document, { operations: ['list_b'] }).manifest.actions!), ['list_b']);
  t.equal(convert(document, { name: 'mine' }).manifest.name, 'mine');
  t.match(refusal(document, { operations: ['listC'] }), /no operation listC; it has listA, list-b$/);
  t.match(refusal(document, { name: 'Not A Name' }), /^\/name /);
  t.match(
    convert({ ...document, servers: [{ url: '/relative' }] }).manifest.fields,
    [{ name: 'base_url', required: true }],
    'without a complete address, the author gives one',
  );
});

t.test('other documents are refused', async (t) => {
  t.match(refusal({ swagger: '2.0' }), /Swagger 2/);
  for (const other of [null, 'text', [], {}, { openapi: '4.0' }]) t.match(refusal(other), /not OpenAPI 3/);
  t.match(refusal(withPaths({})), /it has no operations$/);
  t.match(
    refusal(withPaths({ '/x': { get: { parameters: [{ name: 'c', in: 'cookie', required: true }] } } })),
    /get_x is left out/,
  );
  const circular = withPaths({ '/x': { $ref: '#/paths/~1y' }, '/y': { $ref: '#/paths/~1x' } });
  t.match(refusal(circular), /it has no operations$/);
});

t.test('a hostile document takes no longer than a large one', async (t) => {
  const itself = { $ref: '#/components/schemas/Pet' };
  const wide = Array.from({ length: 12 }, (_, index) => ({ $ref: `#/components/schemas/Level${index}` }));
  const levels = wide.map((_, index) => [`Level${index}`, { allOf: wide.map(() => wide[(index + 1) % wide.length]) }]);
  const json = { allOf: [{ properties: { name: { type: 'string' } } }, ...wide] };
  const more = {
    components: {
      schemas: { Pet: { allOf: Array.from({ length: 12 }, () => itself) }, ...Object.fromEntries(levels) },
    },
  };
  const operations = Array.from({ length: 20_000 }, (_, index) => [`/pets/${index}`, { get: { operationId: 'list' } }]);
  const post = (schema: object) => ({
    post: { operationId: 'create', requestBody: { content: { 'application/json': { schema } } } },
  });
  t.match(convert(withPaths({ '/pets': post(json) }, more)).manifest.actions!.create!.inputs, [{ name: 'name' }]);
  t.ok(convert(withPaths({ '/pets': post(itself) }, more)).manifest.actions);
  const { actions } = convert(withPaths(Object.fromEntries(operations)), { operations: ['list_20000'] }).manifest;
  t.same(Object.keys(actions!), ['list_20000']);
});
