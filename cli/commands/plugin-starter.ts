const camel = (name: string): string => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Rewrites a text or a path of the starter for a plugin of that name. */
export const renameStarter = (text: string, name: string): string =>
  text
    .replaceAll(/starter(?=[A-Z])/g, camel(name))
    .replaceAll('STARTER', name.replaceAll('-', '_').toUpperCase())
    .replaceAll('starter_', `${name.replaceAll('-', '_')}_`)
    .replaceAll('starter', name);

const README = `# starter

Describe its purpose in one sentence. For now it counts things: runs name them, and people see the counts.

    SVC_PLUGINS=$PWD svc dev                 # a server that has the plugin
    SVC_PLUGINS=$PWD svc starter show apples    # its command
    npm install && npm test                  # the plugin's own test; svc/testing boots a server for it
    npm run check                            # its types

In a script: \`n=$(svc starter-count apples)\`. To load it in every folder: \`export SVC_PLUGINS=<this folder>\`.

| File | What it is for |
|---|---|
| \`plugin.json\` | id, version, what it requires and contributes; checked before any code is loaded |
| \`plugin.ts\` | what it adds to svc, line by line |
| \`migrations/\` | its tables; each change is a file with the next number |
| \`store.ts\` | its statements, for SQLite and MySQL |
| \`route.ts\` | \`GET …/starter/<name>\`; it is in the OpenAPI document too |
| \`verb.ts\` | \`svc starter-count\`: the server's half, in one transaction with the record, and the agent's half |
| \`cli/\` | the command \`svc starter show\`, and the help of the verb |
| \`starter.test.ts\` | a test on a real server and a real database, with \`svc/testing\` |

\`npm run build\` writes JavaScript to \`dist/\`. \`npm pack ./dist\` creates a package. After you install the package with \`npm install\`,
\`SVC_PLUGINS=svc-plugin-starter\` loads it.
`;

export const readme = (name: string): string => renameStarter(README, name);

/** \`prepare\` runs after \`npm install\`, which takes the link to svc away. */
export const packageJson = (name: string): string =>
  `${JSON.stringify(
    {
      name: `svc-plugin-${name}`,
      version: '1.0.0',
      type: 'module',
      scripts: {
        prepare: 'svc plugin link .',
        test: 'node --test "*.test.ts"',
        check: 'tsc',
        build: 'tsc --noEmit false --outDir dist && cp package.json dist/',
      },
      devDependencies: { '@types/node': '^24.0.0', typescript: '^6.0.0' },
    },
    null,
    2,
  )}\n`;

export const tsconfig = `${JSON.stringify(
  {
    compilerOptions: {
      target: 'es2024',
      lib: ['es2024'],
      module: 'nodenext',
      strict: true,
      noUncheckedIndexedAccess: true,
      // Node runs these files itself and strips the types.
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
      resolveJsonModule: true,
      skipLibCheck: true,
      types: ['node'],
      rootDir: '.',
      noEmit: true,
    },
    include: ['**/*.ts'],
    exclude: ['node_modules', 'dist'],
  },
  null,
  2,
)}\n`;

export const gitignore = 'node_modules/\ndist/\n.svc/\n';
