import type { BuildOptions, BuildResult } from 'esbuild';

export type Options = BuildOptions & { write: false; metafile: true };
export type Built = BuildResult<{ write: false; metafile: true }>;

const GONE = /^The service (?:is no longer running|was stopped)/;

/** How often the process of the bundler was given up. */
let given_up = 0;

/**
 * One build. The bundler is a process of its own that lasts as long as this one. When somebody ends it, for example the
 * system for want of memory, the library does not start another by itself.
 */
export async function buildOnce(options: Options): Promise<Built> {
  // Only scripts of several files need it.
  const { build, stop } = await import('esbuild');
  try {
    return await attempt();
  } catch (error) {
    if (!isGone(error)) throw error;
    return await attempt();
  }

  async function attempt(): Promise<Built> {
    const seen = given_up;
    try {
      return await build<Options>(options);
    } catch (error) {
      // Of several builds that lost the same process the first gives it up; the others would end the next one.
      if (isGone(error) && seen === given_up) {
        given_up += 1;
        await stop();
      }
      throw error;
    }
  }
}

const isGone = (error: unknown): boolean => error instanceof Error && GONE.test(error.message);
