import { type Api, inGroup, resourceCommands } from '../../../../cli/contract.ts';

/** Stores of other systems from which secrets are read when they are used. */
export const commands = inGroup('Vault', [
  ...resourceCommands<Api.SecretStore>({
    noun: 'secret-store',
    title: 'secret store',
    path: '/secret-stores',
    columns: { name: 'name', kind: 'kind', url: 'url', 'set at': 'set_at' },
    item_columns: {
      name: 'name',
      kind: 'kind',
      url: 'url',
      mount: 'mount',
      'kv version': 'kv_version',
      namespace: 'namespace',
      region: 'region',
      project: 'project',
      'set at': 'set_at',
    },
    set: {
      summary: 'create or replace a secret store: a Vault, AWS Secrets Manager or Google Secret Manager',
      description:
        'Set --url and --token, or --role-id and --secret-id, for vault; --region, --access-key-id and --secret-access-key for aws;\n' +
        '--service-account for gcp. Secret values are read from standard input (`-`) or a file (`@file`), and stored sealed.',
      flags: {
        kind: { type: 'string', choices: ['vault', 'aws', 'gcp'], summary: 'the API of the store' },
        url: { type: 'string', value: '<url>', summary: 'the address; aws and gcp have a default' },
        mount: { type: 'string', value: '<path>', summary: 'for vault: the path of the KV engine; default secret' },
        'kv-version': { type: 'number', value: '<1|2>', summary: 'for vault: the version of the KV engine; default 2' },
        namespace: { type: 'string', value: '<path>', summary: 'for vault: the namespace' },
        token: { type: 'string', value: '-|@file', summary: 'for vault: a token' },
        'role-id': { type: 'string', value: '<id>', summary: 'for vault: the role of an AppRole login' },
        'secret-id': { type: 'string', value: '-|@file', summary: 'for vault: the secret of an AppRole login' },
        region: { type: 'string', value: '<region>', summary: 'for aws' },
        'access-key-id': { type: 'string', value: '<id>', summary: 'for aws: the ID of an access key' },
        'secret-access-key': { type: 'string', value: '-|@file', summary: 'for aws: the secret of the access key' },
        project: { type: 'string', value: '<id>', summary: 'for gcp; default: the project of the service account' },
        'service-account': { type: 'string', value: '@file', summary: 'for gcp: the JSON key of a service account' },
      },
      examples: [
        ['pass vault | svc secret-store set main --kind vault --url https://vault.example.com --token -', 'a Vault'],
        ['svc secret-store set cloud --kind gcp --service-account @key.json', 'Google Secret Manager'],
        [
          'svc secret-store set aws --kind aws --region eu-west-1 --access-key-id AKIAEXAMPLE --secret-access-key @aws.txt',
          'AWS Secrets Manager',
        ],
      ],
      load: () => import('./set.ts'),
    },
  }),
  {
    name: 'secret-store test',
    summary: 'read a value from a secret store without showing it',
    args: [
      { name: 'name', summary: 'the secret store' },
      { name: 'reference', summary: 'path#field of the value' },
    ],
    examples: [['svc secret-store test main app/db#password', 'exits with 1 if a run could not use it']],
    load: () => import('./test.ts'),
  },
]);
