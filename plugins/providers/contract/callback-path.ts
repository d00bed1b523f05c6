/** The path at which this service takes the answers of providers. */
export const CALLBACK_PATH = '/connections/callback';
