import { CliError, Exit } from './errors.ts';
import type { WorkflowRoot } from './root.ts';

interface Given {
  path: string;
  source: string;
  as?: unknown;
  interpreter?: unknown;
  env?: Readonly<Record<string, string>> | undefined;
  /** Where what it imports may lie; its own folder by default. */
  root?: WorkflowRoot | undefined;
}

/**
 * A script of several files as one; every other document as it is. Whoever names an interpreter gets the file as it is.
 * Throws a usage error with the line of the author's file, and `include_outside` for an import that leads out of the root.
 */
export async function bundled({ path, source, as = 'script', interpreter, env = {}, root }: Given): Promise<string> {
  if (path === '-' || as !== 'script' || interpreter !== undefined) return source;
  const { bundleScript, BundleFault } = await import('../plugins/scripts/bundle/bundle-script.ts');
  try {
    return await bundleScript({ path, source, packages_elsewhere: env.NODE_PATH !== undefined, root });
  } catch (error) {
    if (!(error instanceof BundleFault)) throw error;
    throw new CliError(Exit.usage, error.code ?? 'usage', error.message, error.next);
  }
}
