/** The public API of live streams. Its parts are in contract/. */
export * from './contract/changed-runs.ts';
export * from './contract/polled-feed.ts';
export * from './contract/topics.ts';
