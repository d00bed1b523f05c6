// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The action's request, with `***` instead of what its credential adds. Nothing is sent.
 */
export interface RenderedAction {
  request: {
    method: string;
    url: string;
    headers: {
      [k: string]: string;
    };
    body?: null | boolean | number | string | unknown[] | {};
    /**
     * The encoding of the body.
     */
    encoding?: 'json' | 'form' | 'text';
  };
  /**
   * The encoded body as it is sent, JSON with line breaks.
   */
  text: string;
}
