type Kernel = typeof import('../../kernel/boot/index.ts');

/** Loads the kernel and all plugins, not evaluated yet. What a role compiles is stored for the next start in this role. */
export function loadKernel(role: 'server' | 'dev' | 'agent' | 'local'): Promise<Kernel>;

/** What an outside plugin imports as `svc/<name>`; undefined if Node has to resolve it. */
export function publishedBy(specifier: string): Readonly<Record<string, unknown>> | undefined;

/** Stores what was compiled so far for the next start. */
export function storeCompiled(): void;
