// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The request that the action comes to; `***` stands for what its credential adds. Nothing is sent.
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
     * Of the body.
     */
    encoding?: 'json' | 'form' | 'text';
  };
  /**
   * The same as it goes over the wire, JSON with line breaks.
   */
  text: string;
}
