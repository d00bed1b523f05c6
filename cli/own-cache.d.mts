/** The user's own folder for compiled code; undefined where there is none that is safe. */
export function ownCache(env?: NodeJS.ProcessEnv): string | undefined;
