import type { Validator } from '../plugins/platform/schema/contract/compile.ts';

/**
 * Compiles a JSON Schema as the server does. The compiler is loaded only here: it takes longer than the rest of a command, and
 * few need it.
 */
export async function compileSchema(schema: { readonly [keyword: string]: unknown }): Promise<Validator> {
  const { compile } = await import('../plugins/platform/schema/contract/compile.ts');
  return compile(schema);
}
