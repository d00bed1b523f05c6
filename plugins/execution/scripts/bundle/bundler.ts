import type { BuildOptions, BuildResult } from 'esbuild';

export type Options = BuildOptions & { write: false; metafile: true };
export type Built = BuildResult<{ write: false; metafile: true }>;

const SERVICE_STOPPED = /^The service (?:is no longer running|was stopped)/;

/** How often the bundler process was abandoned. */
let restarts = 0;

/**
 * Runs one build. The bundler is a separate process that lives as long as this one. When it is killed, for example
 * because memory is short, the library does not start another by itself.
 */
export async function buildOnce(options: Options): Promise<Built> {
  // Imported lazily, because only scripts with several files need it.
  const { build, stop } = await import('esbuild');
  try {
    return await attempt();
  } catch (error) {
    if (!isServiceStopped(error)) throw error;
    return await attempt();
  }

  async function attempt(): Promise<Built> {
    const seen = restarts;
    try {
      return await build<Options>(options);
    } catch (error) {
      // Of several builds that lost the same process, only the first abandons it; otherwise they would end the next
      // one.
      if (isServiceStopped(error) && seen === restarts) {
        restarts += 1;
        await stop();
      }
      throw error;
    }
  }
}

const isServiceStopped = (error: unknown): boolean => error instanceof Error && SERVICE_STOPPED.test(error.message);
