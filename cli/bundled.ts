import { CliError, Exit } from './errors.ts';
import type { WorkflowRoot } from './root.ts';

interface BundleOptions {
  path: string;
  source: string;
  as?: unknown;
  interpreter?: unknown;
  env?: Readonly<Record<string, string>> | undefined;
  /** The folder that its imports may come from. Defaults to its own folder. */
  root?: WorkflowRoot | undefined;
}

/**
 * Bundles a script of several files into one. Every other document, and a script with an explicit interpreter, is returned
 * unchanged. Throws a usage error that names the line in the author's file, and `include_outside` for an import that leads
 * out of the root.
 */
export async function bundleDocument({
  path,
  source,
  as = 'script',
  interpreter,
  env = {},
  root,
}: BundleOptions): Promise<string> {
  if (path === '-' || as !== 'script' || interpreter !== undefined) return source;
  const { bundleScript, BundleFault } = await import('../plugins/execution/scripts/bundle/bundle-script.ts');
  try {
    return await bundleScript({ path, source, packages_elsewhere: env.NODE_PATH !== undefined, root });
  } catch (error) {
    if (!(error instanceof BundleFault)) throw error;
    throw new CliError(Exit.usage, error.code ?? 'usage', error.message, error.next);
  }
}
