/** The path at which this service receives the answers of providers. */
export const CALLBACK_PATH = '/connections/callback';
