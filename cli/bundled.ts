import { usageError } from './errors.ts';

interface Given {
  path: string;
  source: string;
  as?: unknown;
  interpreter?: unknown;
  env?: Readonly<Record<string, string>> | undefined;
}

/**
 * A script of several files as one; every other document as it is. Whoever names an interpreter gets the file as it is.
 * Throws a usage error with the line of the author's file.
 */
export async function bundled({ path, source, as = 'script', interpreter, env = {} }: Given): Promise<string> {
  if (path === '-' || as !== 'script' || interpreter !== undefined) return source;
  const { bundleScript, BundleFault } = await import('../plugins/scripts/bundle/bundle-script.ts');
  try {
    return await bundleScript({ path, source, packages_elsewhere: env.NODE_PATH !== undefined });
  } catch (error) {
    if (!(error instanceof BundleFault)) throw error;
    throw usageError(error.message, error.next);
  }
}
