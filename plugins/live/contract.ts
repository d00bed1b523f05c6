/** What other plugins may know of live streams; the pieces lie in contract/. */
export * from './contract/changed-runs.ts';
export * from './contract/polled-feed.ts';
export * from './contract/topics.ts';
