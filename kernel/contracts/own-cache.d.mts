/** The user's own folder for compiled programs of one kind; undefined where there is none that is safe. */
export function ownCache(kind: 'compiled' | 'native' | 'prebuilt', env?: NodeJS.ProcessEnv): string | undefined;

/** Nobody but this user, and root, can put anything into the folder or in its place. Throws when it is not there. */
export function isOwnFolder(path: string): boolean;

/** Whether the folder is the user's own; if it does not exist, whether the nearest parent that exists is. */
export function belongsToUser(path: string): boolean;
